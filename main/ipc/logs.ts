import { join } from 'node:path';
import { app, dialog, type BrowserWindow } from 'electron';
import type { MasterLink } from '../connections/link.ts';
import { saveServiceLog } from '../save/service-log.ts';
import type { HandlersOf } from './handlers.ts';

interface LogHandlerOptions {
  readonly link: Pick<MasterLink, 'onThisConnection'>;
  readonly window: BrowserWindow;
}

/**
 * Returns the handlers of requests that save console logs. The path comes from the system's dialog, never from the
 * page.
 */
export function logHandlers({ link, window }: LogHandlerOptions): HandlersOf<'logs'> {
  return {
    'logs.save': async ({ service }) => {
      const call = link.onThisConnection();
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        title: `Save the log of ${service}`,
        buttonLabel: 'Save log',
        defaultPath: join(app.getPath('downloads'), `${service}.log`),
        filters: [{ name: 'Log', extensions: ['log', 'txt'] }],
      });
      if (canceled || filePath === '') return { saved: false, lines: 0 };
      const lines = await saveServiceLog(service, filePath, (params) => call('services.readLog', params));
      return { saved: true, lines };
    },
  };
}
