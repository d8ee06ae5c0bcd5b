import { mkdir, readdir, rename } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { templateIdSchema, type TemplateId } from '#shared/model/template.ts';
import { DiskReserveReached, noReserves, type DiskReserves } from '#master/store/disk-reserve.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { diskCode, diskProblem, isDiskFull } from './disk-problem.ts';
import { writeNewFile } from './new-file.ts';
import { inExactFolder, removeInside, removeTree } from './pinned-folder.ts';
import { TemplateFolder } from './template-folder.ts';
import type { FolderState, TemplateFolders } from './template-files.ts';
import { isUploadInProgress } from './upload-names.ts';
import { watchTree } from './watch-tree.ts';

/**
 * Interval of polling if the system cannot watch the folders (ms), for example without free inotify watches or on
 * network file systems.
 */
const POLL_MS = 10_000;

const absent: FolderState = {
  revision: null,
  files: 0,
  bytes: 0,
  jar: null,
  problem: 'Its folder cannot be used: it does not exist.',
  changing: false,
  bringsJava: false,
  needsJava: null,
  jarHash: null,
  usable: null,
};

export interface TemplateFoldersOptions {
  /** Folder that contains the template folders, without links in its path. */
  readonly root: string;
  /**
   * Folder of the stored revisions, with one subfolder per template. It should be on the same file system as the
   * services.
   */
  readonly revisions: string;
  /** Time without changes after which a folder's content becomes a revision (ms); default 1000. */
  readonly quietMs?: number;
  /** Returns whether a service runs from the revision. Such a revision is kept regardless of its age. */
  readonly isUsed?: (id: TemplateId, revision: string) => boolean;
  /** Reserves of the disks; by default, none. */
  readonly disks?: DiskReserves;
}

/**
 * Prefix of the name of a folder that is still being created for a template. Such a folder is not a template
 * (upload-names.ts).
 */
const COMING = '.overworld-coming-';

/**
 * Opens and watches all template folders. A folder created by hand counts as a template's folder; a folder that has
 * vanished is reported as a problem in its state. The first scan of each folder runs in the background. Until that
 * scan is complete, the state has no revision and is `changing`. If the folders cannot be watched, they are scanned
 * every 10 s.
 *
 * @throws errno errors
 */
export async function openTemplateFolders(options: TemplateFoldersOptions): Promise<TemplateFolders> {
  const { root, revisions, quietMs = 1000, isUsed = () => false, disks = noReserves() } = options;
  await mkdir(root, { recursive: true, mode: 0o700 });
  await mkdir(revisions, { recursive: true, mode: 0o700 });
  const reserve = disks.of(revisions);
  const folders = new Map<TemplateId, TemplateFolder>();
  const listeners = new Set<(id: TemplateId) => void>();
  const changed = (id: TemplateId): void => {
    for (const listener of listeners) listener(id);
  };
  /**
   * Calls `work` with a path that leads to the folder `root`, even if code in the SSH service replaces this folder by
   * a link.
   */
  const inRoot = <T>(work: (folder: string) => Promise<T>): Promise<T> => inExactFolder(root, '', work);
  const open = (id: TemplateId): TemplateFolder => {
    const known = folders.get(id);
    if (known !== undefined) return known;
    const place = {
      id,
      path: join(root, id),
      revisions: join(revisions, id),
      quietMs,
      isUsed: (revision: string) => isUsed(id, revision),
      reserve,
    };
    const folder = new TemplateFolder(place, changed);
    folders.set(id, folder);
    return folder;
  };
  const touch = (path: string, isNewFolder: boolean): void => {
    const [name, ...inside] = relative(root, path).split(sep);
    const id = templateIdSchema.safeParse(name);
    if (!id.success) return;
    if (isNewFolder && inside.length === 0) open(id.data);
    folders.get(id.data)?.touch();
  };

  let poll: NodeJS.Timeout | null = null;
  const watching = await watchTree(root, {
    touched: touch,
    failed: () => {
      poll ??= setInterval(() => {
        for (const folder of folders.values()) void folder.poll();
      }, POLL_MS).unref();
    },
    ignored: isUploadInProgress,
  });
  for (const name of await readdir(root)) {
    if (templateIdSchema.safeParse(name).success) open(name);
    // The master stopped while it was creating this folder.
    else if (name.startsWith(COMING)) await removeInside(root, name);
  }
  const known = (id: TemplateId): TemplateFolder => {
    const folder = folders.get(id);
    if (folder !== undefined) return folder;
    throw new OverworldError('TEMPLATE_UNREADABLE', { template: id, why: 'its folder does not exist' });
  };

  /**
   * Creates the folder of a template, and fills it with `fill`. While it is being filled, the folder has another
   * name. Code in the SSH service can replace it by a link meanwhile.
   *
   * @param fill receives the path of the empty folder, without links
   */
  const addFolder = (id: TemplateId, fill: (coming: string) => Promise<void>): Promise<void> =>
    inRoot(async (folder) => {
      const coming = join(folder, `${COMING}${id}`);
      try {
        await removeTree(coming);
        await mkdir(coming, { mode: 0o700 });
        await fill(join(root, `${COMING}${id}`));
        await rename(coming, join(folder, id));
        await syncFolder(folder);
      } catch (error) {
        await removeTree(coming);
        throw error;
      }
    });

  return {
    async create(id) {
      try {
        await inRoot((folder) => mkdir(join(folder, id), { recursive: true, mode: 0o700 }));
      } catch (error) {
        throw inWords(error, { path: join(root, id), template: id, target: null });
      }
      open(id).touch();
    },
    async requireUnused(id) {
      const path = join(root, id);
      let names: string[] = [];
      try {
        names = await readdir(path);
      } catch (error) {
        if (diskCode(error) !== 'ENOENT') throw inWords(error, { path, template: id, target: id });
      }
      if (names.length > 0) throw new OverworldError('TEMPLATE_EXISTS', { template: id });
    },
    async createWith(id, files) {
      await addFolder(id, (coming) =>
        inExactFolder(coming, '', async (folder) => {
          for (const file of files) await writeNewFile(file, folder, reserve);
          await syncFolder(folder);
        }),
      ).catch((error: unknown) => {
        throw inWords(error, { path: join(root, id), template: id, target: id });
      });
      open(id).touch();
    },
    async put(id, files) {
      return known(id).put(files);
    },
    async remove(id) {
      const folder = open(id);
      try {
        await folder.remove();
      } catch (error) {
        // The deletion may be cancelled, so the remaining files are scanned again. A closed folder cannot scan, so it
        // is replaced.
        folders.delete(id);
        open(id);
        throw error;
      }
      folders.delete(id);
      changed(id);
    },
    state: (id) => folders.get(id)?.state ?? absent,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async materialize(id, revision, destination) {
      await known(id).materialize(revision, destination);
    },
    lease: (id, revision) => known(id).lease(revision),
    revisions: async (id) => (await folders.get(id)?.revisions()) ?? [],
    compare: (id, { from, to }) => known(id).compare(from, to),
    restore: (id, revision) => known(id).restore(revision),
    async duplicate(from, to) {
      await addFolder(to, (coming) => known(from).copyTo(coming)).catch((error: unknown) => {
        throw inWords(error, { path: join(root, to), template: from, target: to });
      });
      open(to).touch();
    },
    async close() {
      if (poll !== null) clearInterval(poll);
      watching.close();
      await Promise.all([...folders.values()].map((folder) => folder.close()));
    },
  };
}

/**
 * Converts an error of the file system to an OverworldError.
 *
 * @param about `path`: what was written; `template`: whose files it concerns; `target`: the template whose folder
 *   must not exist yet; null if there is no such template
 */
function inWords(
  error: unknown,
  {
    path,
    template,
    target,
  }: { readonly path: string; readonly template: TemplateId; readonly target: TemplateId | null },
): OverworldError {
  // `instanceof` does not determine the type of the error's code.
  if (error instanceof OverworldError) return error as OverworldError;
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
  if (error instanceof DiskReserveReached) {
    return new OverworldError('DISK_RESERVED', { path, why: error.message }, error);
  }
  if (target !== null && ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(diskCode(error) ?? '')) {
    return new OverworldError('TEMPLATE_EXISTS', { template: target }, error);
  }
  return new OverworldError('TEMPLATE_UNREADABLE', { template, why: diskProblem(error) }, error);
}
