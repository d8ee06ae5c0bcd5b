import type { JoinProblem } from '#shared/model/player-entry.ts';

/** For each problem: the part of the network that has it (`who`), and the text of its badge (`word`). */
const wordsOf: Record<JoinProblem['reason'], { readonly who: string; readonly word: string }> = {
  NO_PROXY_TEMPLATE: { who: 'Player entry', word: 'No proxy' },
  NO_PROXY: { who: 'Player entry', word: 'No proxy runs' },
  ENTRY_CLOSED: { who: 'Player entry', word: 'Closed' },
  PROXIES_UNLINKED: { who: 'Proxies', word: 'Plugin not linked' },
  NETWORK_FULL: { who: 'Player limit', word: 'Network full' },
  NO_FALLBACK_TEMPLATE: { who: 'Fallback', word: 'No fallback' },
  NO_FALLBACK: { who: 'Fallback', word: 'No fallback runs' },
  FALLBACKS_FULL: { who: 'Fallback', word: 'Full' },
  OTHER: { who: 'Player entry', word: 'Problem' },
};

/**
 * Returns whether all player slots are taken. Only new players then cannot join. Players on the network can continue
 * to play.
 */
function isFull({ reason }: JoinProblem): boolean {
  return reason === 'NETWORK_FULL' || reason === 'FALLBACKS_FULL';
}

/**
 * Returns the part of the network with a join problem, and the text of a badge for the problem. The text is
 * `Starting` if the problem resolves automatically.
 */
export function joinWords({ reason, fix }: JoinProblem): { readonly who: string; readonly word: string } {
  const words = wordsOf[reason];
  return fix === null ? { ...words, word: 'Starting' } : words;
}

/** Returns `bad` if an admin must act before any player can join, otherwise `warn`. */
export function joinHue(problem: JoinProblem): 'warn' | 'bad' {
  return problem.fix === null || isFull(problem) ? 'warn' : 'bad';
}

/** Returns the text of the badge on the Overview screen for these join problems. Null if there are none. */
export function joinVerdict(problems: readonly JoinProblem[]): string | null {
  if (problems.length === 0) return null;
  if (problems.some((problem) => joinHue(problem) === 'bad')) return 'Players cannot join';
  return problems.every(isFull) ? 'No room for more players' : 'Players cannot join yet';
}
