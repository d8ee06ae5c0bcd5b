import { isInDocumentFolder } from '#master/store/documents.ts';
import type { Problem } from '../../commands/check.ts';

/**
 * Returns the mistakes in documents of the master that only the newer version finds: the installed version
 * finds no mistake in the same file. The newer version would ignore or reject such a file. Mistakes in template
 * folders are left out, because they do not affect the upgrade, but only services that start later.
 */
export function newMistakes(ofNewer: readonly Problem[], ofInstalled: readonly Problem[]): Problem[] {
  const known = new Set(mistakesIn(ofInstalled).map(({ file }) => file));
  return mistakesIn(ofNewer).filter(({ file }) => !known.has(file));
}

/**
 * Matches the sentence about a setting that a version does not know (`shared/config/issues.ts`). The version that
 * prints the sentence may be older than the version that reads it, so the sentence must not change.
 */
const UNKNOWN_SETTING = /^(\S+)(?: \(line \d+\))? is not a known key\b/;

/** Returns the path of the setting that a version does not know. Null if the problem is a different one. */
export function unknownSetting(problem: string): string | null {
  return UNKNOWN_SETTING.exec(problem)?.[1] ?? null;
}

/**
 * Decides whether a version may be installed although it finds new mistakes. An older version need not know all
 * settings: it reports those that it does not know, and uses all others (README.md, section "Upgrades").
 *
 * @param options.isOlder whether the version is older than the installed version
 * @returns the mistake because of which the version is refused (null if there is none), and the paths of the settings
 *   that the version ignores
 */
export function judgeMistakes(
  found: readonly Problem[],
  { isOlder }: { readonly isOlder: boolean },
): { readonly refused: Problem | null; readonly ignored: string[] } {
  const settings = isOlder ? found.map(({ problem }) => unknownSetting(problem)) : found.map(() => null);
  const refused = found.find((_, i) => settings[i] === null) ?? null;
  return { refused, ignored: [...new Set(settings.filter((setting) => setting !== null))] };
}

/**
 * Returns the files that an older version cannot use. A file in which it only finds settings that it does not know is
 * usable.
 */
export function unusableFiles(problems: readonly Problem[]): string[] {
  const mistakes = problems.filter(({ severity }) => severity === 'mistake');
  return mistakes.filter(({ problem }) => unknownSetting(problem) === null).map(({ file }) => file);
}

function mistakesIn(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity, file }) => severity === 'mistake' && isInDocumentFolder(file));
}
