import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { VERSION } from '#shared/version.ts';
import { dataFolderAt, type DataFolder } from '#master/store/data-folder.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import { foldersIn } from '#master/store/list-tree.ts';
import type { RevisionRecord } from '#master/templates/revisions/revision-record.ts';
import { realRootOf } from '#master/templates/pinned-folder.ts';
import { RESTORE_NOTE } from '#master/templates/revisions/restore-note.ts';
import type { BackupRetention } from '../settings.ts';
import { EDITED_FOLDERS, FORMAT, ownObjects, type BackupManifest, type RevisionFolder } from '../tree.ts';
import { parseVolumeDocument } from '../volume-document.ts';
import { ObjectPool } from './object-pool.ts';
import type { StageFolders } from './stage-folders.ts';
import { stageKept } from './stage-kept.ts';
import { stageConfig, stageState } from './stage-plain.ts';
import { stageRevisions } from './stage-revisions.ts';
import { stageTree, type KnownFile, type StagedTree } from './stage-tree.ts';

/** Maximum number of times that a part is read, if it changes during the reading. */
const PASSES = 5;

/** Number of characters of a path that is too long, in remarks. */
const SHOWN_PATH = 100;

/** Maximum number of remarks of one kind. The master keeps all remarks in memory. */
const MAX_REMARKS = 100;

export interface StageOptions {
  readonly dataFolder: string;
  /** Whether `templates/` and `files/` may be links, which are then followed. */
  readonly linkedFolders: boolean;
  /** Folders for the collected content. */
  readonly folders: StageFolders;
  readonly disks: Pick<DiskReserves, 'of'>;
  /** Rules by which older backups are removed. A restore on another machine continues with them. */
  readonly retention?: BackupRetention | undefined;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
}

/**
 * Collects the content of a backup, as of one moment. The master may run and change its data in the meantime: see the
 * README of this folder. Files that never change are linked and not copied, if the stage has a folder on their disk.
 *
 * @throws OverworldError DATA_FOLDER_UNSAFE if a folder must not be a link; DiskReserveReached; errno errors
 */
export async function makeStage({
  dataFolder,
  linkedFolders,
  folders,
  disks,
  retention,
  now,
}: StageOptions): Promise<BackupManifest> {
  const { stage } = folders;
  await mkdir(stage, { mode: 0o700 });
  const createdAt = now();
  const reserve = disks.of(stage);
  const pool = await ObjectPool.create(stage, reserve);
  try {
    const folder = await editedFoldersOf(dataFolderAt(await realpath(dataFolder)), linkedFolders);
    const pools = await poolsOf(pool, folders, disks);
    const remarks = await collect({ folder, stage, pool, pools, now });
    const leftOut = await stageKept({ from: folder.logs, to: join(stage, 'logs'), reserve });
    if (leftOut > 0)
      remarks.push(
        `Crash reports and logs of ${leftOut} older ends of services are too large for the backup.`,
      );
    const about = { format: FORMAT, version: VERSION, createdAt, objects: pool.size };
    const manifest = { ...about, remarks, retention };
    await writeFile(join(stage, 'manifest.json'), JSON.stringify(manifest), { mode: 0o600 });
    return manifest;
  } finally {
    await pool.close();
  }
}

/**
 * Returns the pool for the contents of each folder of revision stores. If such a folder is on a disk of its own, the
 * pool is on that disk, and the stage contains a symbolic link to it.
 */
async function poolsOf(
  pool: ObjectPool,
  { stage, onOwnDisk }: StageFolders,
  disks: Pick<DiskReserves, 'of'>,
): Promise<Pools> {
  const pools = { volumes: pool, revisions: pool };
  for (const [name, folder] of onOwnDisk) {
    await mkdir(folder, { mode: 0o700 });
    await symlink(folder, join(stage, dirname(ownObjects(name))));
    pools[name] = await pool.createBeside(folder, disks.of(folder));
  }
  return pools;
}

/**
 * Returns the data folder with paths of the edited folders that contain no links. Code in the SSH service can replace
 * these folders by links, so links are only followed if a person allows it.
 */
async function editedFoldersOf(folder: DataFolder, linkedFolders: boolean): Promise<DataFolder> {
  const real = { ...folder };
  for (const name of EDITED_FOLDERS) {
    const path = folder[name];
    const target = await readlink(path).catch(() => null);
    if (target === null && !existsSync(path))
      throw new Error(`${path} does not exist; put the folder back, or start the master, which creates it`);
    if (target !== null && !linkedFolders) {
      const why = `is a link to ${target}; make it a folder, mount a disk there, or run the backup with --linked-folders if you have created the link`;
      throw new OverworldError('DATA_FOLDER_UNSAFE', { path, why });
    }
    real[name] = target === null ? await realRootOf(path) : await realpath(path);
  }
  return real;
}

type Pools = Readonly<Record<RevisionFolder, ObjectPool>>;

interface Collecting {
  readonly folder: DataFolder;
  readonly stage: string;
  /** Pool for the contents of the folders that people edit. */
  readonly pool: ObjectPool;
  readonly pools: Pools;
  readonly now: () => number;
}

async function collect(collecting: Collecting): Promise<string[]> {
  const { folder, stage, pool, now } = collecting;
  const remarks = await stageVolumes(collecting);
  for (let pass = 1; ; pass++) {
    const before = await templatesOf(folder);
    await stageConfig(folder.config, join(stage, 'config'));
    await stageState(folder.state, join(stage, 'state'));
    const found = await stageTemplates(collecting);
    // The settings and the files of a template belong together. If a template was created or deleted in the meantime,
    // both are read again.
    if (before !== (await templatesOf(folder)) && pass < PASSES) continue;
    remarks.push(...found);
    break;
  }
  const files = await stageTree(folder.files, { pool, now });
  await writeTree(stage, 'files', files);
  return [...remarks, ...treeRemarks('files', files)];
}

/** Adds the saves of all volumes, with the document of each volume. */
async function stageVolumes({ folder: { volumes }, stage, pools }: Collecting): Promise<string[]> {
  const remarks: string[] = [];
  for (const template of await foldersIn(volumes)) {
    for (const number of await foldersIn(join(volumes, template))) {
      const path = join('volumes', template, number);
      const from = join(volumes, template, number);
      const document = join(from, 'volume.json');
      for (let pass = 1; pass <= PASSES; pass++) {
        const before = textOf(document);
        const to = join(stage, path, 'saves');
        const { damaged } = await stageRevisions(join(from, 'saves'), to, pools.volumes);
        if (pass === 1)
          for (const save of damaged)
            remarks.push(
              `Save ${save} of volume ${template}/${number} is damaged on the master's disk, and is not in the backup.`,
            );
        if (before !== null) await keepText(document, join(stage, path, 'volume.json'));
        if (before === textOf(document)) break;
      }
      const staged = textOf(join(stage, path, 'volume.json'));
      if (staged !== null && parseVolumeDocument(staged) === null)
        remarks.push(
          `The file volume.json of volume ${template}/${number} is damaged on the master's disk, and is in the backup as it is.`,
        );
    }
  }
  return remarks;
}

/** Adds the revisions of all templates, and the template folders that people edit. */
async function stageTemplates({ folder, stage, pool, pools, now }: Collecting): Promise<string[]> {
  const remarks: string[] = [];
  const newest = new Map<string, RevisionRecord>();
  for (const id of await foldersIn(folder.revisions)) {
    const [from, to] = [join(folder.revisions, id), join(stage, 'revisions', id)];
    const staged = await stageRevisions(from, to, pools.revisions);
    if (staged.newest !== null) newest.set(id, staged.newest);
    for (const revision of staged.damaged)
      remarks.push(
        `Revision ${revision} of template ${id} is damaged on the master's disk, and is not in the backup.`,
      );
    // A restore of a revision may be in progress. Its note is added, so that the restored master completes it.
    await keepText(join(from, RESTORE_NOTE), join(to, RESTORE_NOTE));
  }
  const trees = await stageTree(folder.templates, { pool, now, known: knownFiles(newest) });
  await writeTree(stage, 'templates', trees);
  return [...remarks, ...treeRemarks('templates', trees)];
}

/**
 * Returns a function that returns the stored version of a template's file. The function takes the file's path in the
 * folder of all templates.
 */
function knownFiles(newest: ReadonlyMap<string, RevisionRecord>): (path: string) => KnownFile | undefined {
  const known = new Map<string, KnownFile>();
  for (const [id, { entries }] of newest)
    for (const entry of entries) if (!entry.path.endsWith('/')) known.set(`${id}/${entry.path}`, entry);
  return (path) => known.get(path);
}

async function writeTree(stage: string, name: string, { entries }: StagedTree): Promise<void> {
  await writeFile(join(stage, `${name}.json`), JSON.stringify(entries), { mode: 0o600 });
}

function treeRemarks(name: string, trees: StagedTree): string[] {
  const { unfinished, special, misnamed, tooLong, unreadable } = trees;
  const about = (paths: readonly string[], toRemark: (path: string) => string): string[] => {
    const remarks = paths.slice(0, MAX_REMARKS).map((path) => toRemark(`${name}/${path}`));
    const more = paths.length - remarks.length;
    return more > 0 ? [...remarks, `The same is true for ${more} more in ${name}/.`] : remarks;
  };
  return [
    ...about(unfinished, (path) => `${path} was being written; at most an earlier version is in the backup.`),
    ...about(special, (path) => `${path} is neither a file nor a folder, and is not in the backup.`),
    ...about(misnamed, (path) => `The name of ${path} is not UTF-8, so it is not in the backup. Rename it.`),
    ...about(unreadable, (path) => `The master has no right to read ${path}, so it is not in the backup.`),
    ...about(
      tooLong,
      (path) =>
        `The path that begins with ${path.slice(0, SHOWN_PATH)} is too long, so it is not in the backup. Shorten it.`,
    ),
  ];
}

async function templatesOf({ config }: DataFolder): Promise<string> {
  const names = await readdir(join(config, 'templates')).catch(() => []);
  return names.filter((name) => name.endsWith('.json')).join('\n');
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Copies a document if it exists. */
async function keepText(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyFile(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
