import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { install } from '#renderer/stores/connection/install.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { anInstallJob, stepsOf } from '#test/support/app/install-models.ts';
import { click, dialog, field, open, theBridge, useInstallWorld } from './install-world.ts';

useInstallWorld();

describe('the update of a master', () => {
  beforeEach(() =>
    theBridge().answer('install.update', () => anInstallJob({ kind: 'update', connection: 'b' })),
  );

  async function chooseUpdate(): Promise<void> {
    await click('Actions for Berlin');
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Update the master…' }));
  }

  it('is offered beside the connection, with the last login', async () => {
    theBridge().answer('install.server', () => ({
      ...{ host: 'ssh.berlin.example', port: 2200, user: 'anna' },
      login: { kind: 'keyFile' as const, path: '/media/key' },
    }));
    open(null);
    await chooseUpdate();
    expect(route.parts).toEqual(['connections', '+update', 'b']);
    expect(await dialog('Update Berlin')).toBeTruthy();
    await waitFor(async () => expect((await field('Host')).value).toBe('ssh.berlin.example'));
    expect(await field('Private key')).toHaveProperty('value', '/media/key');
    await click('Update');
    await waitFor(() =>
      expect(theBridge().askedFor('install.update')).toEqual([
        {
          connection: 'b',
          server: {
            ...{ host: 'ssh.berlin.example', port: 2200, user: 'anna' },
            login: { kind: 'keyFile', path: '/media/key' },
          },
        },
      ]),
    );
    expect(await dialog('Updating Berlin')).toBeTruthy();
  });

  it('suggests the host of the connection if the app has no earlier login', async () => {
    open(null);
    await chooseUpdate();
    await waitFor(async () => expect((await field('Host')).value).toBe('berlin.example'));
    expect((await field('SSH port')).value).toBe('22');
  });

  it('is not offered while another job is running', async () => {
    open(anInstallJob());
    await waitFor(() => expect(install.active).toBe(true));
    await click('Actions for Berlin');
    const item = await screen.findByRole('menuitem', { name: /^Update the master…/ });
    expect(item.getAttribute('aria-disabled')).toBe('true');
  });

  it('shows the version before and after the update', async () => {
    const done = { kind: 'update', status: 'done', connection: 'b', versionBefore: '0.1.0' } as const;
    open(anInstallJob({ ...done, steps: stepsOf('update', null) }), '+update', 'b');
    expect(await dialog('Berlin is up to date')).toBeTruthy();
    expect(screen.getByText('Overworld master 0.1.0 → 0.2.0')).toBeTruthy();
  });

  it('names the version that is running again if the new version failed', async () => {
    const error = new OverworldError('UPGRADE_RETURNED', {
      ...{
        version: '0.2.0',
        before: '0.1.0',
        why: 'it did not serve in 60 s',
      },
    });
    open(
      anInstallJob({
        ...{
          kind: 'update',
          status: 'failed',
          connection: 'b',
          versionBefore: '0.1.0',
          error: toWire(error),
        },
        steps: stepsOf('update', 'start', { status: 'failed' }),
      }),
      ...['+update', 'b'],
    );
    expect(await dialog('The update of Berlin failed')).toBeTruthy();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Version 0.1.0 runs again');
    expect(alert.textContent).toContain('it did not serve in 60 s');
  });
});
