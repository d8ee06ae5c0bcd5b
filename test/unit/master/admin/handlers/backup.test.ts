import { expect, it } from 'vitest';
import { backupHandlers } from '#master/admin/handlers/backup.ts';
import type { BackupState } from '#shared/model/backup.ts';

const file = 'templates/arena/secret-plan.txt';
const state: BackupState = {
  ...{ repository: '/backup', schedule: 'daily', running: null },
  problem: `${file} cannot be read. The last complete backup is 3 days old.`,
  last: { at: 1, outcome: 'failed', why: `${file} cannot be read.` },
  lastComplete: {
    ...{ id: 'a1', at: 1, durationMs: 1, files: 1, bytes: 1, addedBytes: 1 },
    remarks: [`${file} was being written.`],
  },
};

it('backup.get returns names of template files only if the key has no template limit', async () => {
  const ask = (templates: readonly string[] | null, of = state) =>
    backupHandlers(() => Promise.resolve(of))['backup.get'](
      {},
      { name: 'anna', role: 'operator', templates, notify: () => undefined, onClose: () => undefined },
    );
  expect(await ask(null)).toEqual(state);
  const limited = await ask(['lobby']);
  expect(JSON.stringify(limited)).not.toContain('secret-plan');
  const hidden =
    'The last backup failed. Only keys without a template limit can see why, because the reason may name files.';
  expect(limited).toEqual({
    ...state,
    problem: `${hidden} The last complete backup is 3 days old.`,
    last: { ...state.last, why: hidden },
    lastComplete: { ...state.lastComplete, remarks: [] },
  });
  const overdue = {
    ...state,
    problem: 'The last complete backup is 3 days old.',
    last: { at: 1, outcome: 'done' as const, why: null },
  };
  expect(await ask(['lobby'], overdue)).toEqual({ ...overdue, lastComplete: limited.lastComplete });
});
