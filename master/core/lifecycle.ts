import type { ServiceState } from '#shared/model/service.ts';

/** What was seen of one service's process in a round. */
export interface Evidence {
  readonly process: 'none' | 'alive' | 'ended';
  /** The newest answer to a status ping; null when it did not answer. */
  readonly answer: {
    readonly players: number;
    /** A plugin on it has declared that it is in use (docs/specification.md#service-states), whoever is on it. */
    readonly declaredInUse: boolean;
  } | null;
}

/**
 * The state that follows from what is seen. Evidence decides, never memory: only an answer makes a service
 * RUNNING, and one that stops answering keeps its state (it is marked unresponsive) as players may still be on it.
 *
 * @returns the next state, or `gone` when its process has ended
 */
export function nextState(state: ServiceState, { process, answer }: Evidence): ServiceState | 'gone' {
  if (process === 'ended') return 'gone';
  if (process === 'none') return state;
  if (answer === null) return state === 'REQUESTED' || state === 'PREPARING' ? 'STARTING' : state;
  return answer.players > 0 || answer.declaredInUse ? 'IN_USE' : 'RUNNING';
}

/** How long a service may take until it answers its first status ping, ms. */
export interface StartLimits {
  /** A start shorter than this is never given up. */
  readonly timeoutMs: number;
  /** A longer one is given up when its log has not moved for this time. */
  readonly quietMs: number;
  /** No start takes longer, whatever its log says. */
  readonly maximumMs: number;
}

/**
 * Whether a start without any answer goes on. Example: with 5 min, 1 min and 30 min a modded server that logs all the time
 * may take 20 min, one that hangs is given up after 5 min.
 */
export function startVerdict(
  { tookMs, quietMs }: { readonly tookMs: number; readonly quietMs: number },
  limits: StartLimits,
): 'goes-on' | 'log-quiet' | 'too-long' {
  if (tookMs <= limits.timeoutMs) return 'goes-on';
  if (quietMs >= limits.quietMs) return 'log-quiet';
  return tookMs > limits.maximumMs ? 'too-long' : 'goes-on';
}
