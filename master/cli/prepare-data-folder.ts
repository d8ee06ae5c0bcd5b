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

/** What a data folder is to contain. */
export interface DataFolderSetup {
  readonly data: string;
  /** Public key that gets the role owner, one line of a .pub file. */
  readonly ownerKey?: string | undefined;
  /** New value of `communication.hostname`. By default, that of an existing configuration is kept. */
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
  /** Address for plugins. Null if the configuration is faulty. */
  readonly communication: MasterConfig['communication'] | null;
  /** The key that was to become an owner. Null if none was given. */
  readonly owner: AuthorizedKey | null;
  readonly hasOwner: boolean;
  /** What was created or changed. */
  readonly changed: readonly Part[];
}

/**
 * Creates what is missing in the data folder of a master that is not running: folders, host key, configuration. Holds
 * the lease meanwhile. What exists is kept, except for what `setup` asks to change.
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

/** Creates the configuration, or changes its hostname. An existing file keeps its other values, and gets no defaults. */
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
