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

function mistakesIn(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity, file }) => severity === 'mistake' && isInDocumentFolder(file));
}
