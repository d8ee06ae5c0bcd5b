import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { PLUGIN_FILE } from '#shared/link/software.ts';
import { expandBraces, pathPattern } from '#shared/text/path-glob.ts';

/**
 * Files that are never kept. They belong to the template or the master, and the hand-over file contains a token. On
 * nodes, the Java runtime in `jre/` belongs to root and is not part of saves, so a service that starts from a save
 * would have no Java.
 */
const NEVER_KEPT = ['server.jar', 'jre', PLUGIN_FILE, HAND_OVER_FILE];

/**
 * Returns the persistent paths of a service as regular expressions for whole relative paths. JavaScript and Python
 * interpret these expressions identically. A persistent path matches the file or folder with this path, and
 * everything in the folder (docs/specification.md#persistentpaths).
 *
 * Example: `world*` also matches `world_nether/region/r.0.0.mca`.
 */
export function persistentPatterns(paths: readonly string[]): string[] {
  const never = NEVER_KEPT.map((path) => pathPattern(path, 1).source).join('|');
  return paths.map((path) => {
    const sources: string[] = [];
    let group = 1;
    // The schema refuses globs with too many alternatives.
    for (const glob of expandBraces(path) ?? []) {
      const { source, nextGroup } = pathPattern(glob, group);
      sources.push(source);
      group = nextGroup;
    }
    return `^(?!${never})(?:${sources.join('|')}).*$`;
  });
}

/**
 * Returns one function for each persistent path. The function reports whether a file belongs to the persistent path;
 * it takes the file's path relative to the service's folder. Files that are never kept, such as `server.jar`, belong
 * to no persistent path.
 */
export function persistentMatchers(paths: readonly string[]): ((path: string) => boolean)[] {
  return persistentPatterns(paths).map((source) => {
    const pattern = new RegExp(source, 'su');
    return (path) => pattern.test(path);
  });
}

/** Returns a function that reports whether a path belongs to any of the persistent paths. */
export function persistentMatcher(paths: readonly string[]): (path: string) => boolean {
  const matchers = persistentMatchers(paths);
  return (path) => matchers.some((matches) => matches(path));
}

/**
 * Returns those files of a save that belong to a service's persistent paths; the service gets only these. A save may
 * contain other files, because the paths were changed, or because an attacker controls the node from which the save
 * comes. Such files must not replace the server software.
 */
export function keptEntries<T extends { readonly path: string }>(
  paths: readonly string[],
  saved: readonly T[],
): T[] {
  const matches = persistentMatcher(paths);
  return saved.filter(({ path }) => matches(path));
}

/**
 * Returns a function that reports whether the volume replaces a file of the template. It does if the file matches a
 * persistent path for which the save has at least one file. For a persistent path without files in the save, the
 * service gets the template's files.
 */
export function replacedByVolume(
  paths: readonly string[],
  saved: readonly { readonly path: string }[],
): (path: string) => boolean {
  const used = persistentMatchers(paths).filter((matches) => saved.some(({ path }) => matches(path)));
  return (path) => used.some((matches) => matches(path));
}
