import { lstat, mkdir, rename } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { dialog, shell, type BrowserWindow } from 'electron';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { copyHere } from '../local/copy-here.ts';
import { listFolder } from '../transfers/local/list-folder.ts';
import type { LocalPlaces } from '../local/places.ts';
import { declined, type WriteConsent } from '../local/write-consent.ts';
import { trashAll } from '../local/trash.ts';
import { existsHere } from '../transfers/operations/file-copy.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import type { FileTasks } from '../transfers/operations/file-tasks.ts';
import type { HandlersOf } from './handlers.ts';

interface LocalHandlerOptions {
  readonly places: LocalPlaces;
  readonly consent: WriteConsent;
  /** Long operations with their progress. */
  readonly tasks: FileTasks;
  readonly window: BrowserWindow;
}

/** Returns the handlers of requests for the files of this computer. Checks every path against the places first. */
export function localHandlers({ places, consent, tasks, window }: LocalHandlerOptions): HandlersOf<'local'> {
  return {
    'local.places': () => places.list(),
    'local.addPlace': async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title: 'Add a folder',
        buttonLabel: 'Add',
        properties: ['openDirectory', 'createDirectory', 'showHiddenFiles'],
      });
      const [folder] = filePaths;
      return canceled || folder === undefined ? null : places.add(folder);
    },
    'local.removePlace': async ({ path }) => {
      await places.remove(path);
      return {};
    },
    'local.list': async ({ folder }) => {
      const real = await places.require(folder);
      const shown = resolve(folder);
      const [entries, parent] = await Promise.all([listFolder(real, shown), places.parentOf(shown)]);
      return { folder: shown, parent, entries };
    },
    'local.makeFolder': async ({ path }) => {
      const folder = await places.requireEntry(path);
      await requireFree(folder);
      if (!(await consent.mayMake(folder))) throw declined(folder);
      await mkdir(folder).catch((error: unknown) => {
        throw toLocalError(error, folder);
      });
      return {};
    },
    'local.rename': async ({ from, to }) => {
      const [source, target] = await Promise.all([places.requireEntry(from), places.requireEntry(to)]);
      await requireFree(target, source);
      if (!(await consent.mayRename(source, target))) throw declined(target);
      await rename(source, target).catch((error: unknown) => {
        throw toLocalError(error, source);
      });
      return {};
    },
    'local.copy': async ({ paths, folder, task }) => {
      const sources = await Promise.all(paths.map((path) => places.requireWhole(path)));
      const names = sources.map((path) => basename(path));
      const target = await places.requireTarget(folder, names);
      if (!(await consent.mayFill({ folder: target, names }))) throw declined(target);
      await tasks.run({ task, what: 'The copy' }, (steps) => copyHere(sources, target, steps));
      return {};
    },
    'local.trash': async ({ paths }) => {
      const entries = await Promise.all(paths.map((path) => places.requireEntry(path)));
      if (!(await consent.mayTrash(entries))) throw declined(entries[0] ?? '');
      await trashAll(entries, (path) => shell.trashItem(path));
      return {};
    },
    'local.reveal': async ({ path }) => {
      shell.showItemInFolder(await places.requireEntry(path).catch(() => places.require(path)));
      return {};
    },
  };
}

/**
 * Fails with FILE_EXISTS if an entry exists at the path.
 *
 * @param same an entry that may exist at the path. On a disk that ignores case, `Foo` exists at the path `foo`.
 */
async function requireFree(path: string, same?: string): Promise<void> {
  if (!(await existsHere(path))) return;
  if (same !== undefined && (await inodeOf(path)) === (await inodeOf(same))) return;
  throw new OverworldError('FILE_EXISTS', { path });
}

async function inodeOf(path: string): Promise<string> {
  const { dev, ino } = await lstat(path, { bigint: true });
  return `${dev}:${ino}`;
}
