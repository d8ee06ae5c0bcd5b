import { join } from 'node:path';
import type { Logger } from 'pino';
import { AllowanceKeeper } from './limit/allowance-keeper.ts';
import { Hub } from './hub.ts';
import { openIdentity } from './server/identity.ts';
import type { Link } from './link.ts';
import { Listener } from './server/listener.ts';
import { RareWarning } from './server/rare-warning.ts';
import { DEFAULT_TIMING, type LinkTiming } from './timing.ts';

export interface LinkOptions {
  /** `<data>/config`: `link.json` with key, certificate and secret lies there (0600), made when there is none. */
  readonly config: string;
  /** `<data>/state`: `allowances.json` lies there; a master that has lost it asks the proxies what they hold. */
  readonly state: string;
  /** `communication.hostname`: an address of this machine, or 0.0.0.0 or ::. */
  readonly hostname: string;
  /** `communication.port`; 0: any free one. */
  readonly port: number;
  /** Id of the network; the certificate bears it. */
  readonly cluster: string;
  readonly log: Logger;
  /** The time of day, ms since epoch. */
  readonly now: () => number;
  /** Replaces some of {@link DEFAULT_TIMING}. */
  readonly timing?: Partial<LinkTiming>;
  /** Where it listens, or why it does not, has changed: `state` says it. */
  readonly onState?: () => void;
}

/**
 * Opens the plugin link and begins to listen; resolves after the first try. An address that is not of this machine, or a
 * port that is in use, ends nothing: `state.error` says so (LINK_ADDRESS_FOREIGN, LINK_LISTEN_FAILED) and it is tried again every
 * 10 s. Plugins of services that {@link Link.setNetwork} has not told of are asked to come again. One that was told of and is
 * missing later is proven gone, for good: so are its players, and others may have its slots.
 *
 * @throws OverworldError DATA_FAULTY when `link.json` is not what was written there; DISK_FULL and the like
 */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { config, state, hostname, port, cluster, log, now } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const identity = await openIdentity(join(config, 'link.json'), { cluster, now: now() });
  const keeper = await AllowanceKeeper.open({
    path: join(state, 'allowances.json'),
    isFirst: identity.isNew,
    log,
    timing,
    tell: ({ proxy, ...allow }) => hub.tell(proxy, { type: 'allow', ...allow }),
    onOverclaim: (overclaim) => hub.tellOverclaim(overclaim),
  });
  const turnedAway = new RareWarning(log, 'connections to the plugin link were turned away');
  const hub = new Hub({ hostname, port, identity, keeper, timing, log, now });
  const listener = new Listener({
    ...{ hostname, port, timing, key: identity.key, certificate: identity.certificate },
    onConnection: (socket, greeted) => hub.meet(socket, greeted),
    onTurnedAway: () => turnedAway.count(),
    onChange: () => {
      const { error, listening } = listener;
      if (error !== null) log.warn({ err: error }, 'the plugin link does not listen');
      else log.info({ ...listening, fingerprint: identity.fingerprint }, 'the plugin link listens');
      options.onState?.();
    },
  });
  hub.listenBy(listener);
  await listener.start();
  return hub;
}
