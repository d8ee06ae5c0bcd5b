import type { JoinProblem, JoinProblemReason } from '#shared/model/player-entry.ts';

/** The part of the network with the problem, and the problem in a badge. */
const wordsOf: Record<JoinProblemReason, { readonly who: string; readonly word: string }> = {
  NO_PROXY_TEMPLATE: { who: 'Player entry', word: 'No proxy' },
  NO_PROXY: { who: 'Player entry', word: 'No proxy runs' },
  ENTRY_CLOSED: { who: 'Player entry', word: 'Closed' },
  NETWORK_FULL: { who: 'Player limit', word: 'Network full' },
  NO_FALLBACK_TEMPLATE: { who: 'Fallback', word: 'No fallback' },
  NO_FALLBACK: { who: 'Fallback', word: 'No fallback runs' },
  FALLBACKS_FULL: { who: 'Fallback', word: 'Full' },
};

/** Players who are online stay connected; only new ones cannot join. */
function isFull({ reason }: JoinProblem): boolean {
  return reason === 'NETWORK_FULL' || reason === 'FALLBACKS_FULL';
}

/**
 * Returns the part of the network with a join problem, and the problem in a badge. A service that is starting is
 * shown as such.
 */
export function joinWords({ reason, fix }: JoinProblem): { readonly who: string; readonly word: string } {
  const words = wordsOf[reason];
  return fix === null ? { ...words, word: 'Starting' } : words;
}

/** Returns `bad` if no player can join until an admin acts. */
export function joinHue(problem: JoinProblem): 'warn' | 'bad' {
  return problem.fix === null || isFull(problem) ? 'warn' : 'bad';
}

/** Returns whether players can join, in the words of the Overview badge. Null if they can. */
export function joinVerdict(problems: readonly JoinProblem[]): string | null {
  if (problems.length === 0) return null;
  if (problems.some((problem) => joinHue(problem) === 'bad')) return 'Players cannot join';
  return problems.every(isFull) ? 'No room for more players' : 'Players cannot join yet';
}
