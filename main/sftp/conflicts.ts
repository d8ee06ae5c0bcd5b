import type { ConflictChoice } from '#shared/ipc/contract.ts';
import { freeName } from './names.ts';

/** What to do with one planned name. `replace`: something of that name may be there and is to be overwritten. */
export interface Decision {
  readonly name: string;
  readonly target: string;
  readonly replace: boolean;
}

/** Names of a plan that exist in the destination already. */
export function findConflicts(names: readonly string[], taken: ReadonlySet<string>): string[] {
  return names.filter((name) => taken.has(name));
}

/**
 * Applies a person's choice to the names of a plan. Those to be skipped are left out.
 *
 * @param names each once
 * @param taken names in the destination folder
 */
export function decide(
  names: readonly string[],
  taken: ReadonlySet<string>,
  choice: ConflictChoice,
): Decision[] {
  // A new name must not meet another one of the same plan either.
  const used = new Set([...taken, ...names]);
  return names.flatMap((name): Decision[] => {
    if (!taken.has(name)) return [{ name, target: name, replace: false }];
    switch (choice) {
      case 'skip':
        return [];
      case 'overwrite':
      case 'newer':
      case 'resume':
        return [{ name, target: name, replace: true }];
      case 'rename': {
        const target = freeName(name, used);
        used.add(target);
        return [{ name, target, replace: false }];
      }
    }
  });
}
