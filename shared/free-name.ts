/**
 * Returns the given name if it is free, and otherwise the first free name derived from it.
 *
 * Example: `server.jar` → `server (2).jar`, `world.tar.gz` → `world (2).tar.gz`.
 *
 * @param taken names in the folder
 */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  // A leading dot is part of the stem: `.env` → `.env (2)`.
  const match = /^(\.?[^.]+)(\..*)?$/.exec(name);
  const stem = match?.[1] ?? name;
  const ending = match?.[2] ?? '';
  for (let n = 2; ; n++) {
    const next = `${stem} (${n})${ending}`;
    if (!taken.has(next)) return next;
  }
}
