import { dialog, type BrowserWindow, type OpenDialogOptions } from 'electron';
import type { Plans } from '../sftp/plans.ts';
import { NO_PLAN, toSources } from '../sftp/plans.ts';
import { deleteEntries, makeFolder, renameEntry } from '../sftp/file-operations.ts';
import type { RemoteSession } from '../sftp/remote-session.ts';
import type { HandlersOf } from './handlers.ts';

interface FileHandlerOptions {
  readonly session: RemoteSession;
  readonly plans: Plans;
  readonly window: BrowserWindow;
  /** The bundled practice server's jar. */
  readonly practiceServer: string;
}

/** Answers the Files screen. Local paths come from the system's dialogs and from the preload, never from the page. */
export function fileHandlers(options: FileHandlerOptions): HandlersOf<'files'> {
  const { session, plans, window, practiceServer } = options;
  async function pick(dialogOptions: OpenDialogOptions): Promise<string[]> {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, dialogOptions);
    return canceled ? [] : filePaths;
  }
  return {
    'files.list': async ({ folder }) => (await session.files()).list(folder),
    'files.makeFolder': async ({ path }) => {
      await makeFolder(await session.files(), path);
      return {};
    },
    'files.rename': async ({ from, to }) => {
      await renameEntry(await session.files(), from, to);
      return {};
    },
    'files.delete': async ({ paths }) => {
      await deleteEntries(await session.files(), paths);
      return {};
    },
    'files.pickUpload': async ({ folder, what }) => {
      const kind = what === 'files' ? 'openFile' : 'openDirectory';
      const chosen = await pick({
        title: what === 'files' ? 'Upload files' : 'Upload folders',
        buttonLabel: 'Upload',
        properties: [kind, 'multiSelections', 'showHiddenFiles'],
      });
      if (chosen.length === 0) return NO_PLAN;
      return plans.planUpload(await session.files(), folder, toSources(chosen));
    },
    'files.planDrop': async ({ folder, localPaths }) =>
      plans.planUpload(await session.files(), folder, toSources(localPaths)),
    'files.pickDownload': async ({ paths }) => {
      const [folder] = await pick({
        title: 'Download to',
        buttonLabel: 'Download here',
        properties: ['openDirectory', 'createDirectory'],
      });
      if (folder === undefined) return NO_PLAN;
      return plans.planDownload(await session.files(), paths, folder);
    },
    'files.planPracticeServer': async ({ folder }) =>
      plans.planUpload(await session.files(), folder, [{ path: practiceServer, name: 'server.jar' }]),
  };
}
