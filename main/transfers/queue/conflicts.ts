import type { ConflictChoice } from '#shared/ipc/contract.ts';
import type { FilePolicy } from '../operations/file-choice.ts';
import { freeName } from '../remote/names.ts';

/** What to do with one planned name. */
export interface Decision {
  readonly name: string;
  /** The name it gets. */
  readonly target: string;
  readonly policy: FilePolicy;
}

/** A person's choices for names that exist already: `each` for single ones, `rest` for all others. */
export interface Choices {
  readonly rest: ConflictChoice;
  readonly each: Readonly<Record<string, ConflictChoice>>;
}

/**
 * Applies a person's choices to the names of a plan. A file to be skipped is left out; a folder is gone through even
 * then, as the choice counts for each file in it. `rename` makes a second one of the whole name beside what is there.
 *
 * @param items each name once
 * @param taken names in the destination folder
 */
export function decide(
  items: readonly { readonly name: string; readonly kind: 'file' | 'folder' }[],
  taken: ReadonlySet<string>,
  { rest, each }: Choices,
): Decision[] {
  // A new name must not meet another one of the same plan either.
  const used = new Set([...taken, ...items.map(({ name }) => name)]);
  return items.flatMap(({ name, kind }): Decision[] => {
    if (!taken.has(name)) return [{ name, target: name, policy: 'refuse' }];
    const choice = (Object.hasOwn(each, name) ? each[name] : undefined) ?? rest;
    if (choice === 'skip' && kind === 'file') return [];
    if (choice !== 'rename') return [{ name, target: name, policy: choice }];
    const target = freeName(name, used);
    used.add(target);
    return [{ name, target, policy: 'refuse' }];
  });
}
