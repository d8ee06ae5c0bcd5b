import type { ServiceState } from '#shared/model/service.ts';

/** Observations of a service's process in one round. */
export interface StartObservation {
  readonly process: 'none' | 'alive' | 'ended';
  /** Answer to the latest status ping; null if the ping was not answered. */
  readonly answer: {
    /** Whether the service has players or is in use regardless of players (docs/specification.md#service-states). */
    readonly isInUse: boolean;
  } | null;
}

/**
 * Returns the next state of a service after an observation. The state becomes RUNNING or IN_USE only when the service
 * answers a status ping. If the service no longer answers, its state does not change, because players may still be on
 * it.
 *
 * Example: STARTING with an answer that the service is in use → IN_USE.
 *
 * @returns the next state, or `gone` if the service's process has exited
 */
export function nextState(state: ServiceState, { process, answer }: StartObservation): ServiceState | 'gone' {
  if (process === 'ended') return 'gone';
  if (process === 'none') return state;
  if (answer === null) return state === 'REQUESTED' || state === 'PREPARING' ? 'STARTING' : state;
  return answer.isInUse ? 'IN_USE' : 'RUNNING';
}

/** Limits for the time until a service answers its first status ping (ms). */
export interface StartLimits {
  /** A start is never aborted before this time. */
  readonly timeoutMs: number;
  /** Time without a change of the service's log after which a start is aborted, once `timeoutMs` has passed. */
  readonly quietMs: number;
  /** Maximum time of a start, even if the service still writes to its log. */
  readonly maximumMs: number;
}

/**
 * Decides whether the start of a service that has not answered a status ping yet may continue. Returns `goes-on` if
 * it may; `log-quiet` and `too-long` tell which limit it has exceeded, so that it is aborted.
 *
 * Example: with a timeout of 5 min, a quiet limit of 1 min and a maximum of 30 min, a modded server that keeps
 * logging may take 20 min. A server that hangs, so that its log has been quiet for 1 min, is aborted after 5 min.
 *
 * @param tookMs time since the start began (ms); `quietMs` is the time since the log last changed (ms)
 */
export function startVerdict(
  { tookMs, quietMs }: { readonly tookMs: number; readonly quietMs: number },
  limits: StartLimits,
): 'goes-on' | 'log-quiet' | 'too-long' {
  if (tookMs <= limits.timeoutMs) return 'goes-on';
  if (quietMs >= limits.quietMs) return 'log-quiet';
  return tookMs > limits.maximumMs ? 'too-long' : 'goes-on';
}
