import type { Problem } from '../../commands/check.ts';

/**
 * Returns the mistakes that the newer version finds in those files of configuration and state in which the installed
 * version finds none. The newer version would ignore or reject these files. Mistakes in template folders are left
 * out: they do not affect the upgrade, but only services that start later.
 */
export function newMistakes(ofNewer: readonly Problem[], ofInstalled: readonly Problem[]): Problem[] {
  const known = new Set(mistakesIn(ofInstalled).map(({ file }) => file));
  return mistakesIn(ofNewer).filter(({ file }) => !known.has(file));
}

function mistakesIn(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity, file }) => severity === 'mistake' && /^(config|state)\//.test(file));
}
