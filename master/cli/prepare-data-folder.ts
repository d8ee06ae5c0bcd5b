import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { openKeyStore, type KeyStore } from '#master/admin/keys.ts';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import { refuseCutOff } from '#master/backup/restore-note.ts';
import { openDataFolder, type DataFolder } from '#master/store/data-folder.ts';
import { documentTitle } from '#master/store/document-store.ts';
import { acquireLease } from '#master/store/lease.ts';
import { readDocumentFile } from '#master/store/read-document.ts';
import { writeDurably } from '#master/store/write-durably.ts';

/** Requested content of a data folder. */
export interface DataFolderSetup {
  readonly data: string;
  /** Public key that becomes an owner key: one line of a .pub file. */
  readonly ownerKey?: string | undefined;
  /** New value of `communication.hostname`. If it is undefined, an existing configuration keeps its value. */
  readonly hostname?: string | undefined;
}

/** Parts of a data folder that can be new or changed. */
type Part = 'data' | 'key' | 'configuration' | 'owner';

/** Content of a data folder after its preparation. */
export interface PreparedDataFolder {
  readonly folder: DataFolder;
  /** Path of `master.json`. */
  readonly document: string;
  /** Fingerprint of the host key. */
  readonly hostKey: string;
  /** Address at which plugins reach the master. Null if the configuration is faulty. */
  readonly communication: MasterConfig['communication'] | null;
  /** The owner key that was requested. Null if none was given. */
  readonly owner: AuthorizedKey | null;
  readonly hasOwner: boolean;
  /** Parts that were created or changed. */
  readonly changed: readonly Part[];
}

/**
 * Creates the missing parts of the data folder of a master that is not running: folders, host key and configuration.
 * Existing parts are kept, except for changes that `setup` requests. Holds the lease of the data folder meanwhile.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING, DATA_FOLDER_UNSAFE, DATA_FAULTY, KEY_INVALID, RESTORE_UNFINISHED;
 *   CONFIG_FAULTY if the hostname is to be changed in a configuration that has mistakes
 */
export async function prepareDataFolder({
  data,
  ownerKey,
  hostname,
}: DataFolderSetup): Promise<PreparedDataFolder> {
  const changed: Part[] = [];
  if (!existsSync(join(data, 'config'))) changed.push('data');
  const folder = await openDataFolder(data);
  const lease = await acquireLease(folder.root);
  try {
    await refuseCutOff(folder.root);
    const keyPath = join(folder.config, 'host_key');
    if (!existsSync(keyPath)) changed.push('key');
    const hostKey = await loadPrivateKey(keyPath);
    const document = join(folder.config, 'master.json');
    const configuration = await prepareDocument(document, hostname);
    if (configuration.changed) changed.push('configuration');
    const keys = await openKeyStore(join(folder.config, 'keys.json'));
    const owner = ownerKey === undefined ? null : await ensureOwner(keys, ownerKey);
    if (owner?.changed === true) changed.push('owner');
    return {
      folder,
      document,
      hostKey: hostKey.fingerprint,
      communication: configuration.communication,
      owner: owner?.key ?? null,
      hasOwner: keys.list().some(({ role }) => role === 'owner'),
      changed,
    };
  } finally {
    await lease.release();
  }
}

/**
 * Creates the configuration, or changes the hostname in an existing one. An existing file keeps its other values;
 * defaults are not added to it.
 */
async function prepareDocument(
  path: string,
  hostname: string | undefined,
): Promise<Pick<PreparedDataFolder, 'communication'> & { readonly changed: boolean }> {
  const reading = await readDocumentFile(masterConfigSchema, path);
  if (reading.kind === 'absent') {
    const config = masterConfigSchema.parse(hostname === undefined ? {} : { communication: { hostname } });
    await writeDurably(path, `${JSON.stringify(config, null, 2)}\n`);
    return { communication: config.communication, changed: true };
  }
  const communication = reading.kind === 'ok' ? reading.value.communication : null;
  if (hostname === undefined || hostname === communication?.hostname)
    return { communication, changed: false };
  if (reading.kind === 'faulty')
    throw new OverworldError('CONFIG_FAULTY', { document: documentTitle(null), problems: reading.problems });
  const text = reading.text ?? '{}';
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(text, ['communication', 'hostname'], hostname, { formattingOptions });
  await writeDurably(path, applyEdits(text, edits));
  return { communication: { ...reading.value.communication, hostname }, changed: true };
}

async function ensureOwner(
  keys: KeyStore,
  line: string,
): Promise<{ readonly key: AuthorizedKey; readonly changed: boolean }> {
  const owners = keys.list().filter(({ role }) => role === 'owner');
  const key = await keys.ensureOwner(line);
  return { key, changed: !owners.some(({ fingerprint }) => fingerprint === key.fingerprint) };
}
