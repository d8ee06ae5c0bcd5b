import type { Provider } from './provider.ts';

/**
 * Several providers as one: the nodes of all of them. At most one may rent.
 *
 * @throws Error when more than one rents: nobody could say where a new node is to be ordered
 */
export function severalProviders(providers: readonly Provider[]): Provider {
  const renting = providers.filter(({ rents }) => rents !== null);
  if (renting.length > 1) throw new Error('only one provider may rent nodes');
  return {
    nodes: () => providers.flatMap((provider) => provider.nodes()),
    refresh: async () => {
      await Promise.all(providers.map((provider) => provider.refresh()));
    },
    listed: () => providers.every((provider) => provider.listed()),
    trouble: () =>
      providers.map((provider) => provider.trouble()).find((trouble) => trouble !== null) ?? null,
    market: () => renting[0]?.market() ?? null,
    rents: renting[0]?.rents ?? null,
  };
}
