/**
 * These functions return empty replacements for the link, the balancer and the proxies. They are for tests of other
 * parts of a master.
 */

import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BalancerView } from '#shared/model/player-entry.ts';
import type { Balancer } from '#master/balancer/balancer.ts';
import type { Proxies } from '#master/ingress/proxy-templates.ts';
import type { PluginLink } from '#master/link/link.ts';

/** Returns a link without plugins, so that no player's location is known. */
export function noLink(): PluginLink {
  const unknown = (player: string): never => {
    throw new OverworldError('PLAYER_NOT_FOUND', { player });
  };
  return {
    state: { listening: null, error: null, plugins: 0 },
    players: [],
    online: 0,
    playersOn: () => 0,
    accepts: () => false,
    isCounted: () => false,
    reportOf: () => null,
    hasLinked: () => false,
    setNetwork: () => undefined,
    findFreePort: () => Promise.resolve(null),
    handOver: (service) => ({ host: '127.0.0.1', port: 1510, fingerprint: '', service, token: '' }),
    kick: unknown,
    send: unknown,
    on: () => () => undefined,
    onStopService: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** Returns a load balancer that is not installed. */
export function noBalancer(): Balancer {
  const view: BalancerView = { state: 'absent', configPath: '', addresses: [], entries: [], error: null };
  return {
    view,
    sendsProxyProtocol: false,
    want: () => undefined,
    closed: () => Promise.resolve(),
    adopt: () => Promise.reject(new OverworldError('BALANCER_CONFIG_MISSING', { path: view.configPath })),
    remove: () => Promise.reject(new OverworldError('BALANCER_CONFIG_MISSING', { path: view.configPath })),
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  };
}

/** Returns a network without proxies. */
export function noProxies(): Proxies {
  return {
    forwarding: null,
    isRead: true,
    areKnown: true,
    kindOf: () => null,
    update: () => undefined,
    readNow: () => Promise.resolve(null),
  };
}
