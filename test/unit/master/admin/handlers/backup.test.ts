import { expect, it } from 'vitest';
import { backupHandlers } from '#master/admin/handlers/backup.ts';
import type { BackupState } from '#shared/model/backup.ts';

const state: BackupState = {
  ...{ repository: '/backup', schedule: 'daily', running: null, problem: null },
  last: { at: 1, outcome: 'done', why: null },
  lastComplete: {
    ...{ id: 'a1', at: 1, durationMs: 1, files: 1, bytes: 1, addedBytes: 1 },
    remarks: ['templates/arena/secret-plan.txt was being written.'],
  },
};

it('backup.get returns names of template files only if the key has no template limit', async () => {
  const ask = (templates: readonly string[] | null) =>
    backupHandlers(() => Promise.resolve(state))['backup.get'](
      {},
      { name: 'anna', role: 'operator', templates, notify: () => undefined, onClose: () => undefined },
    );
  expect(await ask(null)).toEqual(state);
  expect(await ask(['lobby'])).toEqual({ ...state, lastComplete: { ...state.lastComplete, remarks: [] } });
});
