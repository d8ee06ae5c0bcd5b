import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { OVERWORLD } from '#master/state/feed/emit-event.ts';
import { networkPlayers } from './presence.ts';

/** Minimum time between two events of one proxy (ms). A full network may reject many players in a row. */
const EVENT_INTERVAL_MS = 60_000;

/** Time after which a number of players for whom no event was written is dropped (ms). */
const COUNT_KEPT_MS = 3_600_000;

type Known = Pick<Documents, 'config'> &
  Pick<ServiceStores, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies'> &
  Pick<Feed, 'events'>;

/** A player who tried to join while the network had reached its player limit. */
interface Rejection {
  readonly proxy: ServiceId;
  readonly name: string;
  /** Whether a plugin let the player in although the limit was reached. */
  readonly admitted: boolean;
}

interface Suppression {
  readonly until: number;
  /** Number of players for whom no event was written since the last event. */
  suppressed: number;
}

/**
 * Writes events about players who try to join while the network has reached its limit. There are two kinds: the
 * player is rejected, or a plugin lets the player in (docs/specification.md#max_online_players). For each proxy and
 * kind, writes at most one event per minute. The next event contains the number of players for whom no event was
 * written.
 */
export class JoinRejections {
  readonly #known: Known;
  readonly #clock: () => number;
  readonly #suppressions = new Map<string, Suppression>();

  /** @param clock returns the monotonic time (ms) */
  constructor(known: Known, clock: () => number = monotonicMs) {
    this.#known = known;
    this.#clock = clock;
  }

  /** Writes an event about a player, or only counts the player if the last event is less than a minute old. */
  add({ proxy, name, admitted }: Rejection): void {
    const key = `${proxy} ${admitted}`;
    const now = this.#clock();
    for (const [other, { until, suppressed }] of this.#suppressions) {
      const keptUntil = suppressed === 0 ? until : until + COUNT_KEPT_MS;
      if (other !== key && now >= keptUntil) this.#suppressions.delete(other);
    }
    const suppression = this.#suppressions.get(key);
    if (suppression !== undefined && now < suppression.until) {
      suppression.suppressed += 1;
      return;
    }
    this.#suppressions.set(key, { until: now + EVENT_INTERVAL_MS, suppressed: 0 });
    const { config, records, events } = this.#known;
    const limit = config.master.config.max_online_players;
    const others =
      suppression === undefined || suppression.suppressed === 0
        ? ''
        : ` and ${suppression.suppressed} before`;
    const players = networkPlayers(this.#known);
    const elsewhere =
      players < limit ? '; the other slots are reserved for joining players or by other proxies' : '';
    const numbers = `${players} players are online, max_online_players is ${limit}${elsewhere}`;
    events.add({
      kind: admitted ? 'player.let-in' : 'player.refused',
      subject: { type: 'service', id: proxy },
      template: records.get(proxy)?.template ?? null,
      actor: OVERWORLD,
      message: admitted
        ? `${proxy} admitted ${name}${others} beyond the limit`
        : `${proxy} rejected ${name}${others}: the network is full`,
      cause: admitted ? `a plugin of the proxy allowed it; ${numbers}` : numbers,
    });
  }
}
