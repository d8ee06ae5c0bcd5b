import { render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import BackupTab from '#renderer/screens/configuration/BackupTab.svelte';
import type { Link } from '#shared/ipc/link.ts';
import type { BackupState } from '#shared/model/backup.ts';
import { aLink, AT } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { bridgeOver } from '../../support/window-world.ts';

let disconnect: (() => void) | undefined;
afterEach(() => disconnect?.());

const complete = {
  ...{ id: '0123abcd', at: AT, durationMs: 65_000, files: 1_234, bytes: 5 * 2 ** 20, addedBytes: 2 ** 20 },
  remarks: ['templates/lobby/server.jar was being written; at most an earlier version is in the backup.'],
};

/** Shows the tab for a master on a server or on this computer whose backups have this state. */
function show(backup: Partial<BackupState>, kind: Link['kind'] = 'remote'): void {
  const state: BackupState = {
    ...{ repository: '/mnt/backup', schedule: 'daily', running: null },
    ...{ last: null, lastComplete: null, problem: null, ...backup },
  };
  const bridge = bridgeOver({ backup: state });
  disconnect = connectStores(bridge);
  bridge.push('link', aLink({ kind }));
  render(BackupTab);
}

describe('the tab Backup', () => {
  it('shows the command that sets up backups if none are set up', async () => {
    show({ repository: null, schedule: null });
    expect(await screen.findByText('No backup is configured')).toBeTruthy();
    expect(screen.getByText(/overworld-master backup configure REPOSITORY/)).toBeTruthy();
  });

  it('offers the installation on a server instead for the embedded master, which has no command', async () => {
    show({ repository: null, schedule: null }, 'embedded');
    expect(await screen.findByText('The master of this computer makes no backups')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Install on a server…' })).toBeTruthy();
    expect(screen.queryByText(/overworld-master/)).toBeNull();
  });

  it('shows the last complete backup, and which data this backup does not contain', async () => {
    show({ last: { at: AT, outcome: 'done', why: null }, lastComplete: complete });
    expect(await screen.findByText('/mnt/backup')).toBeTruthy();
    expect(screen.getByText(/1,234 files/)).toBeTruthy();
    expect(screen.getByText('Complete')).toBeTruthy();
    expect(screen.getByText(complete.remarks[0] ?? '')).toBeTruthy();
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  it('shows a remark twice if two files have names that only differ in bytes that are not UTF-8', async () => {
    const remark = 'The name of files/f\uFFFDr is not UTF-8, so it is not in the backup. Rename it.';
    show({ lastComplete: { ...complete, remarks: [remark, remark] } });
    expect(await screen.findAllByText(remark)).toHaveLength(2);
  });

  it('shows the progress of the running backup, and why the last backup failed', async () => {
    show({
      running: { since: AT, percent: 40 },
      last: { at: AT, outcome: 'failed', why: 'The disk is full.' },
      problem: 'The disk is full.',
    });
    const bar = await screen.findByRole('progressbar', { name: 'Progress of the backup' });
    expect(bar.getAttribute('aria-valuenow')).toBe('40');
    expect(screen.getByText('Failed')).toBeTruthy();
    expect(screen.getByText('The disk is full.')).toBeTruthy();
    expect(screen.getByText('None yet')).toBeTruthy();
  });
});
