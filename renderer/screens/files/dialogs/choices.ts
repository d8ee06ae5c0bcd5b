import type { ConflictChoice } from '#shared/ipc/contract.ts';
import type { Conflict } from '../../../stores/files/transfer-plans.svelte.ts';

/** Times within this tolerance count as equal (ms), since clocks and file systems round. */
const SAME_TIME_MS = 2000;

export const choiceWords: Readonly<Record<ConflictChoice, string>> = {
  overwrite: 'Overwrite',
  newer: 'Only if newer',
  skip: 'Skip',
  rename: 'Keep both',
  resume: 'Resume',
};

/** Returns which of two files was changed later. Null if their times count as equal, or if one is not a file. */
export function newerSide({ source, target, kind }: Conflict): 'source' | 'target' | null {
  if (kind !== 'file' || target.kind !== 'file') return null;
  const ahead = source.modifiedAt - target.modifiedAt;
  if (Math.abs(ahead) <= SAME_TIME_MS) return null;
  return ahead > 0 ? 'source' : 'target';
}

/** Returns whether both files have the same size and time, and thus very likely the same content. */
export function looksSame(conflict: Conflict): boolean {
  return (
    conflict.kind === 'file' &&
    conflict.target.kind === 'file' &&
    conflict.source.bytes === conflict.target.bytes &&
    newerSide(conflict) === null
  );
}

/** Returns the possible choices for a name. A file never replaces a folder, nor a folder a file. */
export function choicesFor({ kind, target, resumable }: Conflict): readonly ConflictChoice[] {
  if (kind !== target.kind) return ['rename', 'skip'];
  return resumable ? ['resume', 'overwrite', 'skip', 'rename'] : ['overwrite', 'newer', 'skip', 'rename'];
}

/**
 * Returns the default choice, which is the first that applies: "rename" if file and folder conflict, "skip" if the
 * destination is equal or newer, "resume" after an interrupted transfer, else "overwrite". Pressing Enter therefore
 * never loses the newer file.
 */
export function firstChoice(conflict: Conflict): ConflictChoice {
  if (conflict.kind !== conflict.target.kind) return 'rename';
  if (looksSame(conflict) || newerSide(conflict) === 'target') return 'skip';
  return conflict.resumable ? 'resume' : 'overwrite';
}

/** Returns the text of the button that confirms the choices: `Overwrite 2, skip 1`. */
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
  newer: 'Overwrite if newer',
  skip: 'Skip',
  rename: 'Keep both of',
  resume: 'Resume',
};
