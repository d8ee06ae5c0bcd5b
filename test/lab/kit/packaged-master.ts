import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VERSION } from '#shared/version.ts';
import { debName, makeMasterDeb } from '../../../build/scripts/packaging/master/make-master.mjs';
import { ensureNodeRuntime, hostArch } from '../../../build/scripts/packaging/master/node-runtime.mjs';
import type { LabNode } from './node.ts';

/** Time of the files in the packages (Unix time, s). */
const DATE_S = 1_735_689_600;

/** Data folder of a master that was installed from its package. */
const DATA = '/var/lib/overworld';

/** File name of the package of the master for this machine. */
export const masterDeb = debName(VERSION, hostArch() ?? 'amd64');

/**
 * Builds the package of the master in root's home folder on a node. The package is not compressed, because
 * compression takes a minute.
 */
export async function bringPackage(node: LabNode): Promise<void> {
  const arch = hostArch() ?? 'amd64';
  const making = join(node.root, 'root', 'making');
  mkdirSync(making);
  const deb = await makeMasterDeb({
    ...{ out: making, arch, version: VERSION, node: await ensureNodeRuntime(arch), dateS: DATE_S },
    compression: 'none',
  });
  renameSync(deb, join(node.root, 'root', masterDeb));
}

/**
 * Changes a JSON document below the data folder. An existing file keeps its owner. A new file belongs to `overworld`.
 */
export async function changeDocument(
  node: LabNode,
  path: string,
  change: (document: Record<string, unknown>) => unknown,
): Promise<void> {
  const file = join(node.root, DATA, path);
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(change(before), null, 2));
  await node.must(`chown --reference=${DATA} ${DATA}/${dirname(path)} ${DATA}/${path}`);
}
