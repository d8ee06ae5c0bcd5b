import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service-id.ts';

/**
 * Maximum number of services that one proxy may ask to stop within a minute. An admin in game rarely stops more
 * services.
 */
export const STOPS_PER_MINUTE = 5;

const MINUTE_MS = 60_000;

/** Setting that allows stops in game. */
const SETTING = 'access.in_game_stop';

/**
 * Whether a proxy may stop a service now. `recent`: times of its stops that were allowed within the last minute
 * (monotonic ms).
 */
type Decision =
  | { readonly kind: 'allowed'; readonly recent: readonly number[] }
  | { readonly kind: 'refused'; readonly recent: readonly number[]; readonly waitMs: number };

/**
 * Decides whether a proxy may stop a service now: at most {@link STOPS_PER_MINUTE} (5) in 60 s.
 *
 * @param recent times of this proxy's earlier stops that were allowed, oldest first (monotonic ms)
 * @param now monotonic time (ms)
 * @returns `allowed`, or `refused` with the time until the next stop is allowed (ms); with both, `recent` to pass to
 *   the next call
 */
export function decideInGameStop(recent: readonly number[], now: number): Decision {
  const within = recent.filter((at) => now - at < MINUTE_MS);
  const [oldest] = within;
  if (oldest !== undefined && within.length >= STOPS_PER_MINUTE) {
    return { kind: 'refused', recent: within, waitMs: oldest + MINUTE_MS - now };
  }
  return { kind: 'allowed', recent: [...within, now] };
}

/**
 * Limits the requests of proxies to stop a service (`/cloud stop`). Only the proxy checks which player asks, so
 * without a limit, a hacked proxy could stop every service again and again. The count remains if the proxy
 * disconnects.
 */
export class InGameStops {
  readonly #clock: () => number;
  readonly #recent = new Map<ServiceId, readonly number[]>();

  /** @param clock returns the monotonic time (ms) */
  constructor(clock: () => number = monotonicMs) {
    this.#clock = clock;
  }

  /**
   * Counts a request of a proxy to stop a service. Allows 5 per minute; refused requests do not count.
   *
   * @param allowed value of the setting `access.in_game_stop`
   * @throws OverworldError IN_GAME_STOP_OFF, IN_GAME_STOP_LIMIT
   */
  admit(proxy: ServiceId, allowed: boolean): void {
    if (!allowed) throw new OverworldError('IN_GAME_STOP_OFF', { setting: SETTING });
    const now = this.#clock();
    this.#forgetBefore(now - MINUTE_MS);
    const decision = decideInGameStop(this.#recent.get(proxy) ?? [], now);
    this.#recent.set(proxy, decision.recent);
    if (decision.kind === 'refused') {
      const seconds = Math.ceil(decision.waitMs / 1_000);
      throw new OverworldError('IN_GAME_STOP_LIMIT', { proxy, limit: STOPS_PER_MINUTE, seconds });
    }
  }

  /**
   * Removes proxies that have stopped no service since `time`, so that proxies that no longer exist take no memory.
   */
  #forgetBefore(time: number): void {
    for (const [proxy, recent] of this.#recent)
      if ((recent.at(-1) ?? -Infinity) <= time) this.#recent.delete(proxy);
  }
}
