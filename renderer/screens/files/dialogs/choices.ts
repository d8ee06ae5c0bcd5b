import type { ConflictChoice } from '#shared/ipc/contract.ts';
import type { Conflict } from '../../../stores/files/transfer-plans.svelte.ts';

/** Clocks and file systems round times: within this, ms, two are the same. */
const SAME_TIME_MS = 2000;

export const choiceWords: Readonly<Record<ConflictChoice, string>> = {
  overwrite: 'Overwrite',
  newer: 'Only if newer',
  skip: 'Skip',
  rename: 'Keep both',
  resume: 'Resume',
};

/** Which of two files was changed later; null when that cannot be said, or makes no difference. */
export function newerSide({ source, target, kind }: Conflict): 'source' | 'target' | null {
  if (kind !== 'file' || target.kind !== 'file') return null;
  const ahead = source.modifiedAt - target.modifiedAt;
  if (Math.abs(ahead) <= SAME_TIME_MS) return null;
  return ahead > 0 ? 'source' : 'target';
}

/** True when both files have the same size and time: very likely the same content. */
export function looksSame(conflict: Conflict): boolean {
  return (
    conflict.kind === 'file' &&
    conflict.target.kind === 'file' &&
    conflict.source.bytes === conflict.target.bytes &&
    newerSide(conflict) === null
  );
}

/** What can be done with a name. A file never takes the place of a folder, nor a folder that of a file. */
export function choicesFor({ kind, target, resumable }: Conflict): readonly ConflictChoice[] {
  if (kind !== target.kind) return ['rename', 'skip'];
  return resumable ? ['resume', 'overwrite', 'skip', 'rename'] : ['overwrite', 'newer', 'skip', 'rename'];
}

/**
 * What is chosen before a person chooses: what was broken off goes on; what is the same already, or newer there, is left
 * alone, so that nothing is lost by pressing Enter; anything else is replaced, as that is what was asked for.
 */
export function firstChoice(conflict: Conflict): ConflictChoice {
  if (conflict.kind !== conflict.target.kind) return 'rename';
  if (conflict.resumable) return 'resume';
  return looksSame(conflict) || newerSide(conflict) === 'target' ? 'skip' : 'overwrite';
}

/** What the button says: `Overwrite 2, skip 1`. */
export function answerWords(choices: readonly ConflictChoice[]): string {
  const [first] = choices;
  if (choices.length === 1 && first !== undefined)
    return first === 'rename' ? 'Keep both' : `${verbs[first]} it`;
  const order: readonly ConflictChoice[] = ['resume', 'overwrite', 'newer', 'rename', 'skip'];
  const parts = order.flatMap((choice) => {
    const count = choices.filter((other) => other === choice).length;
    return count === 0 ? [] : [`${verbs[choice].toLowerCase()} ${count}`];
  });
  const words = parts.join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const verbs: Readonly<Record<ConflictChoice, string>> = {
  overwrite: 'Overwrite',
  newer: 'If newer overwrite',
  skip: 'Skip',
  rename: 'Keep both of',
  resume: 'Resume',
};
