import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JVMS = '/usr/lib/jvm';

/**
 * Returns the folder of a JDK with this version, which is installed in addition to the default JDK. Null if this
 * machine has no JDK with this version.
 */
export function findJdk(feature: number): string | null {
  const names = existsSync(JVMS) ? readdirSync(JVMS) : [];
  const found = names.find(
    (name) => new RegExp(`-${feature}(-|$)`).test(name) && existsSync(join(JVMS, name, 'bin', 'jlink')),
  );
  return found === undefined ? null : join(JVMS, found);
}

/**
 * Builds a small Java runtime with the `jlink` of a JDK. The archive contains one folder, like an archive of
 * Adoptium. The caller calls `remove` after its tests.
 *
 * @param jdk folder of the JDK
 * @param modules modules that the programs need in addition to `java.base`
 */
export function buildSmallJre(
  jdk: string,
  modules: readonly string[] = [],
): {
  readonly folder: string;
  readonly archive: string;
  readonly remove: () => void;
} {
  const top = mkdtempSync(join(tmpdir(), 'overworld-jre-'));
  const folder = join(top, 'jre');
  const how = [
    '--add-modules',
    ['java.base', ...modules].join(','),
    '--strip-debug',
    '--no-header-files',
    '--no-man-pages',
  ];
  execFileSync(join(jdk, 'bin', 'jlink'), [...how, '--output', folder], { stdio: 'pipe' });
  const archive = join(top, 'jre.tar.gz');
  mkdirSync(top, { recursive: true });
  // Use the fastest compression, because the size does not matter here.
  execFileSync('tar', ['-C', top, '-I', 'gzip -1', '-cf', archive, 'jre']);
  return { folder, archive, remove: () => rmSync(top, { recursive: true, force: true }) };
}
