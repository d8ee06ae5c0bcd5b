import { homedir } from 'node:os';
import { join } from 'node:path';
import { dialog, type BrowserWindow } from 'electron';
import type { InstallJobs } from '../install/jobs.ts';
import type { HandlersOf } from './handlers.ts';

interface InstallHandlerOptions {
  readonly installs: InstallJobs;
  readonly window: BrowserWindow;
}

/** Returns the handlers of requests about the installation, update and move of masters on servers. */
export function installHandlers({ installs, window }: InstallHandlerOptions): HandlersOf<'install'> {
  return {
    'install.job': () => installs.job,
    'install.logins': () => installs.logins(),
    'install.pickKeyFile': async () => {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title: 'Choose a private key',
        buttonLabel: 'Use key',
        defaultPath: join(homedir(), '.ssh'),
        properties: ['openFile', 'showHiddenFiles'],
      });
      const [path] = filePaths;
      return canceled || path === undefined ? null : installs.pickKeyFile(path);
    },
    'install.server': ({ connection }) => installs.serverOf(connection),
    'install.commands': (draft) => ({ lines: installs.commands(draft) }),
    'install.start': (draft) => installs.install(draft),
    'install.update': ({ connection, server }) => installs.update(connection, server),
    'install.move': (draft) => installs.move(draft),
    'install.answer': ({ id, trust }) => {
      installs.answer(id, trust);
      return {};
    },
    'install.resume': ({ id, login, from }) => {
      installs.resume(id, login, from);
      return {};
    },
    'install.cancel': async ({ id }) => {
      await installs.cancel(id);
      return {};
    },
    'install.close': ({ id }) => {
      installs.close(id);
      return {};
    },
  };
}
