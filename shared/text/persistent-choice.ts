import picomatch from 'picomatch';

const OPTIONS = { dot: true, nonegate: true, noextglob: true, windows: false } as const;

/**
 * Returns those of the chosen files and folders of a service that are at a persistent path, or contain one
 * (docs/specification.md#persistentpaths).
 *
 * Example: of `world`, `plugins` and `ops.json`, the first two for the persistent paths `world*` and `plugins/Shop/data`.
 */
export function chosenPersistent(chosen: readonly string[], persistentPaths: readonly string[]): string[] {
  const globs = persistentPaths.map((path) => path.replace(/\/+$/, ''));
  const isAt = picomatch(
    globs.flatMap((glob) => [glob, `${glob}/**`]),
    OPTIONS,
  );
  return chosen.filter((path) => {
    const plain = path.replace(/\/+$/, '');
    return isAt(plain) || globs.some((glob) => isAbove(plain, glob));
  });
}

/**
 * Returns a warning about chosen files that services do not get from the template, because the files of their volume
 * replace them. Null if there are none.
 */
export function persistentChoiceWords(
  chosen: readonly string[],
  persistentPaths: readonly string[],
): string | null {
  const [first, ...more] = chosenPersistent(chosen, persistentPaths);
  if (first === undefined) return null;
  const which =
    more.length === 0
      ? `${first} is at a persistent path, or contains one`
      : `${first} and ${more.length} more are at persistent paths, or contain some`;
  return `${which}. Services get the files of the template there only if their volume has none at this path yet.`;
}

/** Returns whether a folder is above what a glob matches: each of its parts matches that of the glob. */
function isAbove(folder: string, glob: string): boolean {
  if (folder === '') return true;
  const [parts, patterns] = [folder.split('/'), glob.split('/')];
  const wild = patterns.indexOf('**');
  if (parts.length >= patterns.length && wild === -1) return false;
  const compared = wild === -1 ? parts : parts.slice(0, wild);
  return compared.every((part, index) => picomatch.isMatch(part, patterns[index] ?? '', OPTIONS));
}
