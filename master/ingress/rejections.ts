import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Documents } from '#master/control/context/documents.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { Feed } from '#master/control/context/feed.ts';
import { OVERWORLD } from '#master/control/feed/emit-event.ts';
import { networkPlayers } from './presence.ts';

/** Of one proxy at most one event in this time, ms: a full network turns away one player after the other. */
const TOLD_EVERY_MS = 60_000;

type Known = Pick<Documents, 'config'> &
  Pick<ServiceState, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies'> &
  Pick<Feed, 'events'>;

/** The limit was reached for one player. */
interface Rejection {
  readonly proxy: ServiceId;
  readonly name: string;
  /** A plugin let the player in all the same. */
  readonly admitted: boolean;
}

interface Silence {
  readonly until: number;
  /** Not told of since. */
  untold: number;
}

/** Tells of players whom the global limit keeps out, or a plugin lets in beyond it (docs/specification.md#max_online_players); of many only that they were many. */
export class Rejections {
  readonly #known: Known;
  readonly #clock: () => number;
  readonly #silences = new Map<string, Silence>();

  /** @param clock ms, one that nobody sets */
  constructor(known: Known, clock: () => number = monotonicMs) {
    this.#known = known;
    this.#clock = clock;
  }

  heard({ proxy, name, admitted }: Rejection): void {
    const key = `${proxy} ${admitted}`;
    const now = this.#clock();
    for (const [other, { until }] of this.#silences)
      if (other !== key && now >= until) this.#silences.delete(other);
    const silence = this.#silences.get(key);
    if (silence !== undefined && now < silence.until) {
      silence.untold += 1;
      return;
    }
    this.#silences.set(key, { until: now + TOLD_EVERY_MS, untold: 0 });
    const { config, records, events } = this.#known;
    const limit = config.master.config.max_online_players;
    const others = silence === undefined || silence.untold === 0 ? '' : ` and ${silence.untold} before`;
    const players = networkPlayers(this.#known);
    const elsewhere =
      players < limit ? '; the other places are held for players who are joining, or by other proxies' : '';
    const numbers = `${players} players are online, max_online_players is ${limit}${elsewhere}`;
    events.add({
      kind: admitted ? 'player.let-in' : 'player.refused',
      subject: { type: 'service', id: proxy },
      template: records.get(proxy)?.template ?? null,
      actor: OVERWORLD,
      message: admitted
        ? `${proxy} let ${name}${others} in beyond the limit`
        : `${proxy} turned ${name}${others} away: the network is full`,
      cause: admitted ? `a plugin of the proxy allowed it; ${numbers}` : numbers,
    });
  }
}
