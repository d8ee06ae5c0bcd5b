import { expect, it } from 'vitest';
import { mayHaveProxy } from '#master/ingress/service-setup.ts';

function networkOf(isProxy: boolean, software: string | null): Parameters<typeof mayHaveProxy>[0] {
  const state = { config: { isProxy, defaultServiceFiles: [] } };
  return {
    config: { templates: new Map([['gate', { state }]]) },
    templates: {
      state: () => ({ usable: software === null ? null : { revision: 'r1', software, needsJava: null } }),
    },
    sharedFiles: { serverJar: () => null },
  };
}

it.each([
  { isProxy: true, software: 'Own Proxy 1.0', want: true },
  { isProxy: true, software: 'Velocity 3.3.0', want: true },
  { isProxy: true, software: null, want: true },
  { isProxy: true, software: 'CraftBukkit 1.20', want: false },
  { isProxy: false, software: 'Own Proxy 1.0', want: false },
])('a template with isProxy $isProxy and the software $software may be a proxy: $want', (given) => {
  expect(mayHaveProxy(networkOf(given.isProxy, given.software))).toBe(given.want);
});
