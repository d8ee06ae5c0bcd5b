import type { ServiceState } from '#shared/model/service.ts';

/** What was seen of one service's process in a round. */
export interface Evidence {
  readonly process: 'none' | 'alive' | 'ended';
  /** The newest answer to a status ping; null when it did not answer. */
  readonly answer: {
    readonly players: number;
    /** A plugin on it has declared that it is in use (spec 3), whoever is on it. */
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
