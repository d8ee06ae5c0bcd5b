import { join } from 'node:path';
import type { Logger } from 'pino';
import { AllowanceKeeper } from './limit/allowance-keeper.ts';
import { Hub } from './hub.ts';
import { openIdentity } from './server/identity.ts';
import type { PluginLink } from './link.ts';
import { Listener } from './server/listener.ts';
import { RareWarning } from './server/rare-warning.ts';
import { DEFAULT_TIMING, type LinkTiming } from './timing.ts';

export interface LinkOptions {
  /**
   * `<data>/config`. It contains `link.json` (0600) with key, certificate and secret. The file is created if it is
   * missing.
   */
  readonly config: string;
  /**
   * `<data>/state`. It contains `allowances.json`. If that file is lost, the master asks the proxies how many slots
   * they use.
   */
  readonly state: string;
  /** `communication.hostname`: an address of this machine, `0.0.0.0` or `::`. */
  readonly hostname: string;
  /** Port to listen on: `communication.port`; 0 selects any free port. */
  readonly port: number;
  /** Id of the network, used as the name of the certificate. */
  readonly cluster: string;
  readonly log: Logger;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  /** Values that replace values of {@link DEFAULT_TIMING}. */
  readonly timing?: Partial<LinkTiming>;
  /** Called when {@link PluginLink.state} has changed: where the link listens, or why it cannot. */
  readonly onState?: () => void;
}

/**
 * Opens the plugin link and begins to listen. Resolves after the first attempt to listen. If the attempt fails, the
 * link's `state.error` contains the reason: LINK_ADDRESS_FOREIGN if the address does not belong to this machine,
 * otherwise LINK_LISTEN_FAILED, for example because the port is in use. The link then tries again every 10 s.
 *
 * If a service was never in the list that was passed to {@link PluginLink.setNetwork}, its plugin is asked to try
 * again later. If a service was in the list before and is now missing, it has exited for good: its players are
 * removed, and its slots become free.
 *
 * @throws OverworldError DATA_FAULTY if `link.json` is invalid; DISK_FULL and similar codes if a file cannot be
 *   written
 */
export async function openLink(options: LinkOptions): Promise<PluginLink> {
  const { config, state, hostname, port, cluster, log, now } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const identity = await openIdentity(join(config, 'link.json'), { cluster, now: now() });
  const keeper = await AllowanceKeeper.open({
    path: join(state, 'allowances.json'),
    isFirst: identity.isNew,
    log,
    timing,
    send: ({ proxy, ...allow }) => hub.sendMessage(proxy, { type: 'allow', ...allow }),
    onOverclaim: (overclaim) => hub.emitOverclaim(overclaim),
  });
  const turnedAway = new RareWarning(log, 'connections to the plugin link were rejected');
  const hub = new Hub({ hostname, port, identity, keeper, timing, log, now });
  const listener = new Listener({
    hostname,
    port,
    timing,
    key: identity.key,
    certificate: identity.certificate,
    onConnection: (socket, greeted) => hub.meet(socket, greeted),
    onTurnedAway: () => turnedAway.count(),
    onChange: () => {
      const { error, listening } = listener;
      if (error !== null) log.warn({ err: error }, 'the plugin link is not listening');
      else log.info({ ...listening, fingerprint: identity.fingerprint }, 'the plugin link is listening');
      options.onState?.();
    },
  });
  hub.listenBy(listener);
  await listener.start();
  return hub;
}
