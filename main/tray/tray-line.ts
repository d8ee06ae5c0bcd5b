import type { MasterLink } from '../connections/link.ts';
import type { MasterNotification } from '../connections/rpc-client.ts';
import type { Log } from '../environment/log.ts';
import type { Link } from '#shared/ipc/contract.ts';

/** Delay before the tray's line is updated after a change (ms). */
const GATHER_MS = 2000;

interface Options {
  readonly link: Pick<MasterLink, 'link' | 'call'>;
  readonly log: Log;
  readonly onLine: (line: string) => void;
}

/**
 * Keeps the line of the tray up to date. The line shows the numbers of players and services. Fetches only changes.
 */
export class TrayLine {
  readonly #options: Options;
  #services = new Set<string>();
  #revision: number | null = null;
  #run: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Handles a change of the link. If the link is not connected, shows its state. Otherwise counts players and
   * services soon.
   */
  applyLink(link: Link): void {
    if (link.status === 'connected') this.#countSoon();
    else this.#options.onLine(toTrayLine(link, null));
  }

  /** Counts again if services have changed; ignores all other notifications. */
  handleNotification(notification: MasterNotification): void {
    if (notification.name === 'stale' && notification.params.topics.includes('services')) this.#countSoon();
  }

  /** Cancels a count that has not begun. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #countSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#count().catch((error: unknown) => {
        this.#options.log.info({ err: error }, 'the services could not be counted for the tray');
      });
    }, GATHER_MS);
  }

  async #count(): Promise<void> {
    const { link, onLine } = this.#options;
    const { run, status } = link.link;
    if (status !== 'connected') return;
    const since = run === this.#run ? this.#revision : null;
    const answer = await link.call('services.list', since === null ? {} : { since });
    // The link was switched to another master during the request.
    if (link.link.run !== run) return;
    this.#run = run;
    this.#revision = answer.revision;
    if (answer.complete) this.#services.clear();
    for (const { id } of answer.services) this.#services.add(id);
    for (const id of answer.removed) this.#services.delete(id);
    onLine(toTrayLine(link.link, { players: answer.network.players, services: this.#services.size }));
  }
}

/**
 * Returns the tray's line. If `network` is null, the line describes the state of the link. If `players` is null, the
 * line omits the players.
 *
 * Example: `Production: 37 players, 12 services`.
 */
export function toTrayLine(
  { name, status }: Pick<Link, 'name' | 'status'>,
  network: { readonly players: number | null; readonly services: number } | null,
): string {
  if (network === null) return `${name}: ${status === 'failed' ? 'cannot be reached' : 'no connection'}`;
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  const players = network.players === null ? '' : `${count(network.players, 'player')}, `;
  return `${name}: ${players}${count(network.services, 'service')}`;
}
