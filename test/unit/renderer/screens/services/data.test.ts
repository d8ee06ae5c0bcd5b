import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { aService, aTemplate, aVolume, AT } from '#test/support/app/models.ts';
import { setUpServices, row } from './services-world.ts';

const network = () => ({ templates: [aTemplate('lobby')], services: [aService('lobby', 1)] });

/** Opens the menu of a service and chooses an entry. */
async function choose(id: string, name: RegExp): Promise<void> {
  await fireEvent.contextMenu(row(id));
  await fireEvent.click(within(await screen.findByRole('menu')).getByRole('menuitem', { name }));
}

describe('the data of a service that the user stops', () => {
  const open = setUpServices();

  it('is copied before the stop if the user chooses "Keep a copy"', async () => {
    const bridge = await open(network());
    let finish = (): void => undefined;
    bridge.answerCall(
      'services.keepCopy',
      () =>
        new Promise((resolve) => {
          finish = () =>
            resolve({
              ...{ folder: '/files/service-copies/lobby-1/2026-11-24_18.40.07', files: 12, bytes: 2_000_000 },
              ...{ skipped: ['world/link', 'plugins/pipe'], changed: ['logs/latest.log'] },
            });
        }),
    );
    await choose('lobby-1', /^Stop service/);
    const dialog = await screen.findByRole('dialog', { name: 'Stop service lobby-1?' });
    expect(dialog.textContent).toContain('Everything it wrote is deleted, such as worlds and plugin data.');
    expect(dialog.textContent).toContain('Only its newest crash reports and logs are kept.');
    const stop = (): HTMLElement => within(dialog).getByRole('button', { name: /^Stop service/ });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Keep a copy' }));
    await waitFor(() => expect(stop()).toHaveProperty('disabled', true));
    finish();
    await waitFor(() => expect(stop()).toHaveProperty('disabled', false));
    expect(bridge.askedFor('services.keepCopy')).toMatchObject([{ id: 'lobby-1' }]);
    expect(dialog.textContent).toContain('12 files (1.9 MB) of lobby-1 are kept on the master');
    expect(dialog.textContent).toContain('1 file changed during the copy');
    expect(dialog.textContent).toContain('Not copied: world/link, plugins/pipe.');
    await fireEvent.click(within(dialog).getByRole('button', { name: /service-copies/ }));
    expect([route.screen, ...route.parts]).toContain('service-copies');
  });

  it.each([
    { entry: /^Stop service/, title: 'Stop service lobby-1?' },
    { entry: /^Restart service/, title: 'Restart service lobby-1?' },
  ])('cannot always be saved: the dialog $title says why, and promises no save', async ({ entry, title }) => {
    const why = 'Volume lobby/1 was not saved. Raise the quota.';
    await open({
      templates: [aTemplate('lobby', { persistentPaths: ['world*/'] })],
      services: [aService('lobby', 1)],
      volumes: [aVolume('lobby/1', { problem: why })],
    });
    await choose('lobby-1', entry);
    const dialog = await screen.findByRole('dialog', { name: title });
    await waitFor(() => expect(dialog.textContent).toContain('lobby-1 cannot be saved now.'));
    expect(dialog.textContent).toContain(why);
    expect(dialog.textContent).toContain('its files stay on its node');
    expect(dialog.textContent).not.toContain('saved first');
  });

  it('does not delay the stop of another service after the dialog was closed during a copy', async () => {
    const bridge = await open({
      ...network(),
      services: [aService('lobby', 1), aService('lobby', 2, { state: 'REQUESTED', pid: null })],
    });
    bridge.answerCall('services.keepCopy', () => new Promise(() => undefined));
    await choose('lobby-1', /^Stop service/);
    const first = await screen.findByRole('dialog', { name: 'Stop service lobby-1?' });
    await fireEvent.click(within(first).getByRole('button', { name: 'Keep a copy' }));
    await waitFor(() => expect(bridge.askedFor('services.keepCopy')).toHaveLength(1));
    await fireEvent.click(within(first).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await choose('lobby-2', /^(Stop|Remove) service/);
    const second = await screen.findByRole('dialog', { name: /lobby-2\?$/ });
    const [confirm] = within(second).getAllByRole('button').slice(-1);
    expect(confirm).toHaveProperty('disabled', false);
  });

  it('can be copied again after a failed copy, and the dialog shows the reason for the failure', async () => {
    const bridge = await open(network());
    bridge.answerCall('services.keepCopy', () => {
      throw new OverworldError('SERVICE_COPIES_FULL', { folder: '/files/service-copies', limit: 50 });
    });
    await choose('lobby-1', /^Kill service/);
    const dialog = await screen.findByRole('dialog', { name: 'Kill service lobby-1?' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Keep a copy' }));
    await waitFor(() => expect(dialog.textContent).toContain('already keeps 50 copies'));
    expect(within(dialog).getByRole('button', { name: 'Keep a copy' })).toHaveProperty('disabled', false);
  });

  describe('if the dialog is closed during the copy', () => {
    let answer: (result: object | Error) => void;

    /** Starts the copy and closes the dialog. */
    async function copyAndClose(): Promise<void> {
      const bridge = await open(network());
      const answered = new Promise<object>((resolve, reject) => {
        answer = (result) => (result instanceof Error ? reject(result) : resolve(result));
      });
      bridge.answerCall('services.keepCopy', async () => {
        const more = await answered;
        const copied = { folder: '/files/service-copies/lobby-1/a', files: 12, bytes: 2000 };
        return { ...copied, skipped: [], changed: [], ...more };
      });
      await choose('lobby-1', /^Stop service/);
      await fireEvent.click(await screen.findByRole('button', { name: 'Keep a copy' }));
      await waitFor(() => expect(bridge.askedFor('services.keepCopy')).toHaveLength(1));
      await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    }

    it('reports a copy in a message, with the paths that were not copied', async () => {
      await copyAndClose();
      answer({ skipped: ['a', 'b', 'c', 'd', 'e'], changed: ['f', 'g'] });
      await waitFor(() =>
        expect(toasts.list.at(-1)?.text).toBe(
          'A copy of lobby-1 is kept on the master. 2 files changed during the copy. Not copied: a, b, c and 2 more.',
        ),
      );
    });

    it('reports a failed copy in a message', async () => {
      await copyAndClose();
      answer(new OverworldError('SERVICE_COPIES_FULL', { folder: '/files/service-copies', limit: 50 }));
      await waitFor(() =>
        expect(toasts.list.at(-1)?.text).toMatch(/^No copy of lobby-1 is kept: .*already keeps 50 copies/),
      );
    });
  });

  it('is not mentioned if the service has never started', async () => {
    await open({ ...network(), services: [aService('lobby', 1, { state: 'REQUESTED', pid: null })] });
    await choose('lobby-1', /^Stop service/);
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).not.toContain('wrote');
  });

  it('can be copied to the template: the user opens folders and chooses files', async () => {
    const bridge = await open(network());
    const file = (name: string, kind: 'file' | 'folder' | 'other') => ({
      name,
      kind,
      bytes: 5,
      changedAt: AT,
    });
    bridge.answerCall('services.listFiles', ({ folder }) => ({
      entries:
        folder === ''
          ? [file('eula.txt', 'file'), file('link', 'other'), file('plugins', 'folder')]
          : [file('config.yml', 'file')],
      more: false,
    }));
    bridge.answerCall('services.copyToTemplate', () => ({ files: 1, bytes: 5, skipped: [], changed: [] }));
    await choose('lobby-1', /^Copy its files to lobby/);
    const dialog = await screen.findByRole('dialog', { name: 'Copy files of lobby-1 to its template' });
    await waitFor(() => expect(within(dialog).getByRole('button', { name: 'plugins' })).toBeTruthy());
    expect(within(dialog).getByRole('checkbox', { name: 'link' })).toHaveProperty('disabled', true);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'plugins' }));
    await fireEvent.click(await within(dialog).findByRole('checkbox', { name: 'plugins/config.yml' }));
    await fireEvent.click(within(dialog).getByRole('button', { name: 'lobby-1' }));
    const plugins = await within(dialog).findByRole('checkbox', { name: 'plugins' });
    expect(plugins).toHaveProperty('indeterminate', true);
    await fireEvent.click(within(dialog).getByRole('checkbox', { name: /^Replace files/ }));
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Copy to template' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(bridge.askedFor('services.copyToTemplate')).toMatchObject([
      { id: 'lobby-1', paths: ['plugins/config.yml'], replace: true },
    ]);
  });

  it('can be copied to a persistent path, with a warning that not all services get the copy', async () => {
    const bridge = await open({
      ...network(),
      templates: [aTemplate('lobby', { persistentPaths: ['world*'] })],
    });
    const folder = (name: string) => ({ name, kind: 'folder' as const, bytes: 0, changedAt: AT });
    bridge.answerCall('services.listFiles', () => ({
      entries: [folder('plugins'), folder('world_nether')],
      more: false,
    }));
    await choose('lobby-1', /^Copy its files to lobby/);
    const dialog = await screen.findByRole('dialog', { name: 'Copy files of lobby-1 to its template' });
    await fireEvent.click(await within(dialog).findByRole('checkbox', { name: 'plugins' }));
    expect(within(dialog).queryByText('Not all services will get these files')).toBeNull();
    await fireEvent.click(within(dialog).getByRole('checkbox', { name: 'world_nether' }));
    await within(dialog).findByText('Not all services will get these files');
    expect(dialog.textContent).toContain('world_nether is at a persistent path');
  });

  it('includes crash reports and logs, which the app shows after the service has exited', async () => {
    const bridge = await open(network());
    const path = 'crash-reports/crash-1-server.txt';
    bridge.answerCall('services.keptFiles', () => [
      { endedAt: AT, files: [{ path, bytes: 2000, changedAt: AT, whole: false }] },
    ]);
    bridge.answerCall('services.readKeptFile', () => ({ text: 'Description: Ticking entity', whole: false }));
    route.go('services', 'lobby-9', 'console');
    await fireEvent.click(await screen.findByRole('button', { name: path }));
    const dialog = await screen.findByRole('dialog', { name: `${path} of lobby-9` });
    await waitFor(() => expect(dialog.textContent).toContain('Description: Ticking entity'));
    expect(dialog.textContent).toContain('This is the part that was kept.');
    expect(bridge.askedFor('services.readKeptFile')).toEqual([{ id: 'lobby-9', endedAt: AT, path }]);
  });
});
