import { realpath } from 'node:fs/promises';
import {
  app,
  dialog,
  nativeImage,
  type BrowserWindow,
  type NativeImage,
  type OpenDialogOptions,
} from 'electron';
import type { TransferPlan } from '#shared/ipc/contract.ts';
import type { FileServices } from '../files/file-services.ts';
import { openText, saveText } from '../edit/text-file.ts';
import {
  deleteEntries,
  makeFolder,
  moveEntries,
  renameEntry,
  setModes,
} from '../transfers/operations/file-operations.ts';
import { nameOf } from '../transfers/operations/file-copy.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { NO_PLAN, toSources, type LocalSource } from '../transfers/queue/plans.ts';
import { declined } from '../local/write-consent.ts';
import type { HandlersOf } from './handlers.ts';

interface FileHandlerOptions {
  readonly side: FileServices;
  readonly window: BrowserWindow;
  /** Paths of the bundled jars of practice server and practice proxy. */
  readonly practice: { readonly server: string; readonly proxy: string };
}

/**
 * Returns the handlers of requests of the Files screen. Local paths from the system's dialog or the preload script
 * are trusted. Any other local path must be inside a place, which is a folder that the window may access
 * (local/places.ts).
 */
export function fileHandlers({ side, window, practice }: FileHandlerOptions): HandlersOf<'files'> {
  const { session } = side;
  return {
    ...planHandlers({ side, window, practice }),
    ...editHandlers(side),
    'files.list': async ({ folder }) => (await session.files()).list(folder),
    'files.makeFolder': async ({ path }) => {
      await makeFolder(await session.files(), path);
      return {};
    },
    'files.rename': async ({ from, to }) => {
      await renameEntry(await session.files(), from, to);
      return {};
    },
    'files.delete': async ({ paths, task }) => {
      const files = await session.files();
      await side.tasks.run({ task, what: 'The deletion' }, (steps) => deleteEntries(files, paths, steps));
      return {};
    },
    'files.move': async ({ paths, folder }) => {
      await moveEntries(await session.files(), paths, folder);
      return {};
    },
    'files.setMode': async ({ paths, mode, within, task }) => {
      const files = await session.files();
      await side.tasks.run({ task, what: 'The change of permissions' }, (steps) =>
        setModes(files, paths, { mode, within, steps }),
      );
      return {};
    },
    'files.log': () => session.requests.list(),
    'files.dragOut': async ({ paths }) => {
      const copies = await side.dragOut.fetch(await session.files(), paths);
      const [first] = copies;
      if (first === undefined || window.isDestroyed()) return {};
      window.webContents.startDrag({ file: first, files: copies, icon: await iconOf(first) });
      return {};
    },
  };
}

type Edits =
  'files.open' | 'files.save' | 'files.openExternally' | 'files.externalEdits' | 'files.settleExternal';

function editHandlers({ session, externalEdits }: FileServices): Pick<HandlersOf<'files'>, Edits> {
  return {
    'files.open': async ({ path }) => openText(await session.files(), path),
    'files.save': async ({ path, ...save }) => saveText(await session.files(), path, save),
    'files.openExternally': async ({ path }) => {
      await externalEdits.open(path);
      return {};
    },
    'files.externalEdits': () => externalEdits.list(),
    'files.settleExternal': async ({ id, keep }) => {
      await externalEdits.settle(id, keep);
      return {};
    },
  };
}

type Planning =
  | 'files.pickUpload'
  | 'files.pickDownload'
  | 'files.planDrop'
  | 'files.planUpload'
  | 'files.planDownload'
  | 'files.planPracticeServer'
  | 'files.planPracticeProxy';

function planHandlers({
  side: { session, plans, places, consent },
  window,
  practice,
}: FileHandlerOptions): Pick<HandlersOf<'files'>, Planning> {
  async function pick(dialogOptions: OpenDialogOptions): Promise<string[]> {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, dialogOptions);
    return canceled ? [] : filePaths;
  }
  /** Plans a download if the person allows writing to its destination. */
  async function download(
    files: RemoteFiles,
    paths: readonly string[],
    { folder, chosen, move = false }: { folder: string; chosen: boolean; move?: boolean | undefined },
  ): Promise<TransferPlan> {
    const plan = await plans.planDownload(files, paths, { folder, move });
    if (await consent.mayFill({ folder, names: plans.writesOf(plan), chosen })) return plan;
    if (plan.plan !== null) plans.take(plan.plan);
    return NO_PLAN;
  }
  /** Plans the upload of a bundled jar as the server software of a template. */
  async function software(folder: string, path: string): Promise<TransferPlan> {
    return plans.planUpload(await session.files(), { folder }, [{ path, name: 'server.jar' }]);
  }
  /**
   * Returns the sources of an upload that moves the given entries. After the upload, the entries are moved to the
   * trash. This needs the same permission as a direct move to the trash.
   *
   * @throws OverworldError LOCAL_WRITE_DECLINED
   */
  async function toLeave(localPaths: readonly string[]): Promise<LocalSource[]> {
    const entries = await Promise.all(localPaths.map((path) => places.requireEntry(path)));
    if (!(await consent.mayTrash(entries))) throw declined(entries[0] ?? '');
    return toSources(entries);
  }
  return {
    'files.pickUpload': async ({ folder, what }) => {
      const kind = what === 'files' ? 'openFile' : 'openDirectory';
      const chosen = await pick({
        title: what === 'files' ? 'Upload files' : 'Upload folders',
        buttonLabel: 'Upload',
        properties: [kind, 'multiSelections', 'showHiddenFiles'],
      });
      if (chosen.length === 0) return NO_PLAN;
      return plans.planUpload(await session.files(), { folder }, toSources(chosen));
    },
    'files.pickDownload': async ({ paths }) => {
      const [folder] = await pick({
        title: 'Download to',
        buttonLabel: 'Download here',
        properties: ['openDirectory', 'createDirectory'],
      });
      if (folder === undefined) return NO_PLAN;
      return download(await session.files(), paths, { folder: await realpath(folder), chosen: true });
    },
    'files.planDrop': async ({ folder, localPaths }) =>
      plans.planUpload(await session.files(), { folder }, toSources(localPaths)),
    'files.planUpload': async ({ folder, localPaths, move = false }) => {
      if (move) return plans.planUpload(await session.files(), { folder, move }, await toLeave(localPaths));
      // If a source is a link, the upload has the name of the link, although it reads the link's target.
      const sources = await Promise.all(
        toSources(localPaths).map(async ({ path, name }) => ({
          path: await places.requireWhole(path),
          name,
        })),
      );
      return plans.planUpload(await session.files(), { folder }, sources);
    },
    'files.planDownload': async ({ paths, folder, move }) => {
      const files = await session.files();
      const real = await places.requireTarget(folder, paths.map(nameOf));
      return download(files, paths, { folder: real, chosen: false, move });
    },
    'files.planPracticeServer': ({ folder }) => software(folder, practice.server),
    'files.planPracticeProxy': ({ folder }) => software(folder, practice.proxy),
  };
}

/** Returns the system's icon of a file, shown under the pointer while files are dragged out. */
async function iconOf(path: string): Promise<NativeImage> {
  const icon = await app.getFileIcon(path).catch(() => nativeImage.createEmpty());
  return icon.isEmpty() ? plainIcon() : icon;
}

/**
 * Returns a small grey square. Electron refuses to drag without an image, and some systems have no icon for a file.
 */
function plainIcon(): NativeImage {
  const side = 32;
  return nativeImage.createFromBitmap(Buffer.alloc(side * side * 4, 0x99), { width: side, height: side });
}
