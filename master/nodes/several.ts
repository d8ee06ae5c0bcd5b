import type { Provider } from './provider.ts';

/**
 * Combines several providers into one with the nodes of all of them. Nodes are ordered from the first provider that
 * sells any.
 */
export function joinProviders(providers: readonly Provider[]): Provider {
  const renting = (): Provider | undefined => providers.find(({ rents }) => rents !== null);
  return {
    nodes: () => providers.flatMap((provider) => provider.nodes()),
    refresh: async () => {
      await Promise.all(providers.map((provider) => provider.refresh()));
    },
    listed: () => providers.every((provider) => provider.listed()),
    trouble: () =>
      providers.map((provider) => provider.trouble()).find((trouble) => trouble !== null) ?? null,
    market: () => renting()?.market() ?? null,
    get rents() {
      return renting()?.rents ?? null;
    },
  };
}
