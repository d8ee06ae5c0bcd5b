import { dirname, join } from 'node:path';
import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import { openRestoreNote } from '#master/backup/restore-note.ts';
import { openSettings } from '#master/backup/settings.ts';
import { openStatus } from '#master/backup/status-file.ts';
import type { Problem } from '#master/cli/commands/check.ts';
import { ledgerSchema } from '#master/state/costs/ledger.ts';
import { NodeTimes } from '#master/state/nodes/node-times.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { openUnsavedFiles } from '#master/state/services/unsaved-files.ts';
import { openAllowanceFile } from '#master/link/limit/allowance-keeper.ts';
import { openIdentity } from '#master/link/server/identity.ts';
import { openSecretFile } from '#master/ingress/forwarding-secret.ts';
import { Journal } from '#master/nodes/hetzner/journal.ts';
import { JarCache } from '#master/software/download/jar-cache.ts';
import { CreationNote } from '#master/store/creation-note.ts';
import { matchingPaths, type DocumentElsewhere, type DocumentInFolder } from '#master/store/documents.ts';
import { openJsonFile } from '#master/store/json-file.ts';
import { acquireLease } from '#master/store/lease.ts';
import { openVolumeFile } from '#master/volumes/volume-file.ts';
import { clusterId } from './open-parts.ts';
import { openMachineState } from './own-machine-state.ts';

type Reader = (path: string) => Promise<unknown>;

/**
 * Functions that read the master's documents, by path or pattern in the data folder. They read each document in the
 * same way as the master does.
 */
const readers: Readonly<Record<DocumentElsewhere | DocumentInFolder, Reader>> = {
  'backup/restored.json': (path) => openRestoreNote(dataFolderOf(path)),
  'backup/settings.json': (path) => openSettings(dataFolderOf(path)),
  'backup/status.json': (path) => openStatus(dataFolderOf(path)),
  'config/cluster.json': (path) => clusterId(join(path, '..')),
  'config/forwarding.json': openSecretFile,
  'config/host_key': loadPrivateKey,
  'config/keys.json': (path) => openKeyStore(path),
  'config/link.json': (path) => openIdentity(path, { cluster: 'checked', now: 0 }),
  'config/node_key': loadPrivateKey,
  'state/allowances.json': openAllowanceFile,
  'state/costs.json': (path) => openJsonFile(path, ledgerSchema.nullable(), null),
  'state/creating-templates.json': readCreationNote,
  'state/holds.json': (path) => Overrides.open(path),
  'state/local-node.json': openMachineState,
  'state/node-times.json': (path) => NodeTimes.open(path, () => 0),
  'state/nodes.json': (path) => Journal.open(path),
  'state/services.json': (path) => RecordStore.open(path),
  // Opening the cache reads only its index, but creates the folder of its jars. The given folder already exists, so
  // nothing is created.
  'state/software.json': (path) => JarCache.open({ folder: join(path, '..'), index: path, now: () => 0 }),
  'state/unsaved-files.json': openUnsavedFiles,
  'volumes/*/*/volume.json': openVolumeFile,
};

/** Returns the data folder of a document in one of its subfolders. */
function dataFolderOf(path: string): string {
  return dirname(dirname(path));
}

/**
 * Reads those documents in a data folder that only the master writes, in the same way as a starting master. Does not
 * read the configuration, because people edit it. Does not read the histories either, because a starting master skips
 * their faulty lines.
 *
 * @param data existing data folder
 * @returns a problem for each document that this version cannot read
 * @throws OverworldError MASTER_ALREADY_RUNNING if a master uses the folder; DISK_FULL
 */
export async function checkState(data: string): Promise<readonly Problem[]> {
  // Acquires the lease, because a running master could replace a document between two reads.
  const lease = await acquireLease(data);
  try {
    const problems: Problem[] = [];
    for (const [pattern, read] of Object.entries(readers)) {
      // A key that does not exist is not read, because reading it would create it.
      for (const file of await matchingPaths(data, pattern)) {
        const problem = await problemOf(() => read(join(data, file)));
        if (problem !== null) problems.push({ severity: 'mistake', file, problem });
      }
    }
    return problems;
  } finally {
    await lease.release();
  }
}

/** Reads the note about unfinished creations of templates. @throws OverworldError DATA_FAULTY */
async function readCreationNote(path: string): Promise<void> {
  try {
    // This call removes no template from the note, so it only reads the note.
    await new CreationNote(join(path, '..')).remove([]);
  } catch (cause) {
    throw new OverworldError('DATA_FAULTY', { path, why: 'it is not a list of templates' }, cause);
  }
}

async function problemOf(read: () => Promise<unknown>): Promise<string | null> {
  try {
    await read();
    return null;
  } catch (error) {
    if (hasCode(error, 'DATA_FAULTY')) return `It cannot be read: ${error.details.why}.`;
    return toOverworldError(error).message;
  }
}
