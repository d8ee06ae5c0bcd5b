import { readFileSync } from 'node:fs';

/**
 * Returns the users in `/etc/passwd` as a map of names to ids. Does not include the users of a directory service.
 * Empty if the file cannot be read.
 */
export function readUsers(): ReadonlyMap<string, number> {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return new Map(
      lines.flatMap((line) => {
        const [name, , id] = line.split(':');
        return name === undefined || id === undefined ? [] : [[name, Number(id)] as const];
      }),
    );
  } catch {
    return new Map();
  }
}

/** Returns the name of a user, or `user 1001` if no name is known. */
export function userName(id: number): string {
  for (const [name, known] of readUsers()) if (known === id) return name;
  return id === 0 ? 'root' : `user ${id}`;
}
