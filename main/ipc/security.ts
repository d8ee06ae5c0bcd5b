import { join } from 'node:path';
import { app, dialog, type BrowserWindow } from 'electron';
import type { MasterLink } from '../connections/link.ts';
import { saveSecurityLog } from '../save/security-log.ts';
import type { HandlersOf } from './handlers.ts';

interface SecurityHandlerOptions {
  readonly link: Pick<MasterLink, 'onThisConnection'>;
  readonly window: BrowserWindow;
}

/**
 * Returns the handlers of requests that save the security log. The path comes from the system's dialog, never from
 * the page.
 */
export function securityHandlers({ link, window }: SecurityHandlerOptions): HandlersOf<'security'> {
  return {
    'security.export': async () => {
      const call = link.onThisConnection();
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        title: 'Export security log',
        buttonLabel: 'Export',
        defaultPath: join(app.getPath('downloads'), 'overworld-security.jsonl'),
        filters: [{ name: 'JSON lines', extensions: ['jsonl'] }],
      });
      if (canceled || filePath === '') return { saved: false, entries: 0 };
      const entries = await saveSecurityLog(filePath, (params) => call('security.list', params));
      return { saved: true, entries };
    },
  };
}
