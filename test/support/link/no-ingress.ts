/** For parts of a master that are looked at alone. */

import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BalancerView } from '#shared/model/way-in.ts';
import type { Balancer } from '#master/balancer/balancer.ts';
import type { Proxies } from '#master/ingress/proxy-templates.ts';
import type { Link } from '#master/link/link.ts';

/** The link of a network in which no plugin speaks: nobody is known to be anywhere. */
export function noLink(): Link {
  const unknown = (player: string): never => {
    throw new OverworldError('PLAYER_NOT_FOUND', { player });
  };
  return {
    state: { listening: null, error: null, plugins: 0 },
    players: [],
    online: 0,
    playersOn: () => 0,
    isCounted: () => false,
    heard: () => null,
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

/** Where there is no load balancer. */
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

/** A network without proxies. */
export function noProxies(): Proxies {
  return {
    forwarding: null,
    isRead: true,
    kindOf: () => null,
    look: () => undefined,
    readNow: () => Promise.resolve(null),
  };
}
