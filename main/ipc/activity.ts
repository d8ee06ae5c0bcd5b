import { join } from 'node:path';
import { app, dialog, type BrowserWindow } from 'electron';
import type { MasterLink } from '../connections/link.ts';
import { saveActivity, type ActivityFormat } from '../save/activity.ts';
import type { HandlersOf } from './handlers.ts';

interface ActivityHandlerOptions {
  readonly link: Pick<MasterLink, 'onThisConnection'>;
  readonly window: BrowserWindow;
}

const kindOfFile: Record<ActivityFormat, string> = { csv: 'CSV table', jsonl: 'JSON lines' };

/**
 * Returns the handlers of requests that save the activity log. The path comes from the system's dialog, never from
 * the page.
 */
export function activityHandlers({ link, window }: ActivityHandlerOptions): HandlersOf<'activity'> {
  return {
    'activity.export': async ({ filter, format }) => {
      const call = link.onThisConnection();
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        title: 'Export activity',
        buttonLabel: 'Export',
        defaultPath: join(app.getPath('downloads'), `overworld-activity.${format}`),
        filters: [{ name: kindOfFile[format], extensions: [format] }],
      });
      if (canceled || filePath === '') return { saved: false, events: 0 };
      const events = await saveActivity({ filter, format }, filePath, (params) =>
        call('activity.list', params),
      );
      return { saved: true, events };
    },
  };
}
