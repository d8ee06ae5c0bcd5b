import type { ConflictChoice } from '#shared/ipc/contract.ts';
import type { FilePolicy } from '../operations/conflict-policy.ts';
import { freeName } from '../remote/names.ts';

/** Decision about one file or folder of a plan: its name at the destination, and what happens to existing files. */
export interface Decision {
  readonly name: string;
  /** Name at the destination. */
  readonly target: string;
  readonly policy: FilePolicy;
}

/**
 * A person's choices for names that exist at the destination. `each` maps single names to their choices; `rest`
 * applies to all other names.
 */
export interface ConflictChoices {
  readonly rest: ConflictChoice;
  readonly each: Readonly<Record<string, ConflictChoice>>;
}

/**
 * Applies a person's choices to the names of a plan. Leaves out skipped files. Keeps skipped folders, because `skip`
 * then applies to each file in them. `rename` gives the copy a free name.
 *
 * Example: `world` exists and the choice is `rename` → target `world (2)`.
 *
 * @param items files and folders of the plan; no name occurs twice
 * @param taken names in the destination folder
 */
export function decide(
  items: readonly { readonly name: string; readonly kind: 'file' | 'folder' }[],
  taken: ReadonlySet<string>,
  { rest, each }: ConflictChoices,
): Decision[] {
  // A new name must also differ from the other names of the plan.
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
