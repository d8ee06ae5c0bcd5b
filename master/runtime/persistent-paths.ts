import picomatch from 'picomatch';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { PLUGIN_FILE } from '#shared/link/software.ts';

/**
 * Files that are never kept: they are the template's or the master's, and the hand-over file contains a token. The Java
 * runtime in `jre/` belongs to root on nodes, so it is not in saves, which would leave the next service without it.
 */
const NEVER_KEPT = ['server.jar', 'jre/**', PLUGIN_FILE, HAND_OVER_FILE];

/**
 * Returns the persistent paths of a service as regular expressions for whole relative paths, which JavaScript and Python
 * read alike. Each path matches the file at it, and everything in the folder at it (docs/specification.md#persistentpaths).
 *
 * Example: `world*` also matches `world_nether/region/r.0.0.mca`.
 */
export function persistentPatterns(paths: readonly string[]): string[] {
  const excluded = NEVER_KEPT.map((path) => `(?!${picomatch.makeRe(path, OPTIONS).source.slice(1)})`).join(
    '',
  );
  return paths.map((path) => {
    const plain = path.replace(/\/+$/, '');
    const either = [plain, `${plain}/**`].map((glob) => `(?:${picomatch.makeRe(glob, OPTIONS).source})`);
    return `^${excluded}(?:${either.join('|')})$`;
  });
}

const OPTIONS = { dot: true, nonegate: true, noextglob: true } as const;

/** Returns functions that report whether a path belongs to each of the persistent paths. */
export function persistentMatchers(paths: readonly string[]): ((path: string) => boolean)[] {
  return persistentPatterns(paths).map((source) => {
    const pattern = new RegExp(source, 's');
    return (path) => pattern.test(path);
  });
}

/** Returns a function that reports whether a path belongs to any of the persistent paths. */
export function persistentMatcher(paths: readonly string[]): (path: string) => boolean {
  const matchers = persistentMatchers(paths);
  return (path) => matchers.some((matches) => matches(path));
}

/**
 * Returns the files of a save that a service gets: those at its persistent paths. A save may have others, because the paths
 * were changed, or because an attacker controls the node from which it comes. These must not replace the server software.
 */
export function keptEntries<T extends { readonly path: string }>(
  paths: readonly string[],
  saved: readonly T[],
): T[] {
  const matches = persistentMatcher(paths);
  return saved.filter(({ path }) => matches(path));
}

/**
 * Returns a function that reports whether a file of the template gives way to the volume: a persistent path matches it
 * that has at least one file in the save. A path that the volume does not have yet begins with the template's files.
 */
export function replacedByVolume(
  paths: readonly string[],
  saved: readonly { readonly path: string }[],
): (path: string) => boolean {
  const used = persistentMatchers(paths).filter((matches) => saved.some(({ path }) => matches(path)));
  return (path) => used.some((matches) => matches(path));
}
