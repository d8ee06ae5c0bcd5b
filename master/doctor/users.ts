import { readFileSync } from 'node:fs';

/**
 * Returns the users in `/etc/passwd`: name → id. Users of a directory service are not included. Empty if the file
 * cannot be read.
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
