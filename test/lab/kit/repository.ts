import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LabNode } from './node.ts';
import { must } from './run.ts';

/** Folder of the Debian packages that nodes can install. Null if they could not be downloaded. */
export const debs = findDebs();

/** Folder of the repository on a node. */
const FOLDER = 'srv/debs';

function findDebs(): string | null {
  const folder = process.env['OVERWORLD_LAB_DEBS'];
  return folder !== undefined && existsSync(folder) ? folder : null;
}

/**
 * Makes packages available to a node's apt, as its only source. As on a new server, the node has no package lists yet.
 *
 * @param root the node's root folder on the host
 * @param folder folder with the packages
 */
export function plantRepository(root: string, folder: string): void {
  const target = join(root, FOLDER);
  mkdirSync(target, { recursive: true });
  const entries = readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => {
      copyFileSync(join(folder, name), join(target, name));
      const bytes = readFileSync(join(folder, name));
      const control = must('dpkg-deb', ['--field', join(folder, name)]).trimEnd();
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return `${control}\nFilename: ./${name}\nSize: ${bytes.length}\nSHA256: ${sha256}\n`;
    });
  writeFileSync(join(target, 'Packages'), entries.join('\n'));
  writeFileSync(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] file:/${FOLDER} ./\n`);
}

/**
 * Removes the Java of the image from a node. The node can install Java again from its own repository. If the packages
 * for this repository could not be downloaded, Java is not removed.
 *
 * @returns whether Java was removed
 */
export async function removeJava(node: Pick<LabNode, 'root' | 'must'>): Promise<boolean> {
  if (debs === null || !readdirSync(debs).some((name) => name.startsWith('openjdk-'))) return false;
  plantRepository(node.root, debs);
  await node.must('dpkg --purge --force-depends openjdk-17-jre-headless');
  await node.must('! command -v java');
  return true;
}
