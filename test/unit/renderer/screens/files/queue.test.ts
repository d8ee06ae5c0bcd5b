import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { preferences } from '#renderer/stores/app/preferences.svelte.ts';
import { aPreferences, aTransfer } from '#test/support/app/models.ts';
import { FilesWorld } from './files-world.ts';

let world: FilesWorld;

beforeEach(async () => {
  world = new FilesWorld();
  world.bridge.answer('transfers.clear', () => ({}));
  world.bridge.answer('app.setPreferences', ({ parallelTransfers = 3 }) =>
    aPreferences({ parallelTransfers }),
  );
  await world.open('/templates/lobby');
});
afterEach(() => world.close());

const queue = (): HTMLElement => screen.getByRole('region', { name: 'Transfers' });
const lineOf = async (name: string): Promise<HTMLElement> =>
  waitFor(() => {
    const found = within(queue())
      .getAllByRole('listitem')
      .find((line) => line.textContent.includes(name));
    if (found === undefined) throw new Error(`no line ${name}`);
    return found;
  });

describe('the list of transfers', () => {
  it('makes invisible characters visible that could disguise a name', async () => {
    const path = '/templates/lobby/photo\u202Egpj.jar';
    const failed = new OverworldError('TRANSFER_FAILED', { path, why: 'the disk is full' });
    world.bridge.push('transfers', [
      aTransfer('1', {
        name: 'photo\u202Egpj.jar',
        remotePath: path,
        state: 'failed',
        error: toWire(failed),
      }),
    ]);
    const line = await lineOf('photo⟨202E⟩gpj.jar');
    expect(within(line).getByRole('button', { name: 'Try photo⟨202E⟩gpj.jar again' })).toBeTruthy();
    expect(line.outerHTML).not.toContain('\u202E');
  });

  it('has buttons that pause, resume, cancel and retry a transfer', async () => {
    const failed = new OverworldError('TRANSFER_FAILED', { path: '/x', why: 'the disk is full' });
    world.bridge.push('transfers', [
      aTransfer('1', { name: 'a.jar' }),
      aTransfer('2', { name: 'b.jar', state: 'paused', endedAt: null }),
      aTransfer('3', { name: 'c.jar', state: 'failed', error: toWire(failed) }),
      aTransfer('4', { name: 'd.jar', state: 'waiting', endedAt: null }),
    ]);
    expect((await lineOf('a.jar')).textContent).toMatch(/23\.0 MB of 46\.0 MB · 3\.0 MB\/s · 7 s left/);
    expect((await lineOf('b.jar')).textContent).toContain('Paused at');
    expect((await lineOf('c.jar')).textContent).toContain('the disk is full');
    expect((await lineOf('d.jar')).textContent).toContain('Waits for the connection');
    for (const name of [
      'Pause a.jar',
      'Resume b.jar',
      'Try c.jar again',
      'Cancel d.jar',
      'Pause all',
      'Resume all',
    ]) {
      await fireEvent.click(within(queue()).getByRole('button', { name }));
    }
    await waitFor(() =>
      expect(world.bridge.askedFor('transfers.resume')).toEqual([{ id: '2' }, { id: null }]),
    );
    expect(world.bridge.askedFor('transfers.pause')).toEqual([{ id: '1' }, { id: null }]);
    expect(world.bridge.askedFor('transfers.retry')).toEqual([{ id: '3' }]);
    expect(world.bridge.askedFor('transfers.cancel')).toEqual([{ id: '4' }]);
    expect(queue().textContent).toContain('1 running · 1 paused · 1 waiting for the connection');
  });

  it('renders only the visible rows of 10,000 transfers', async () => {
    world.bridge.push(
      'transfers',
      Array.from({ length: 10_000 }, (_, i) => aTransfer(String(i), { name: `f${i}` })),
    );
    await lineOf('f9999');
    expect(within(queue()).getAllByRole('listitem').length).toBeLessThan(80);
    expect((await lineOf('f9999')).getAttribute('aria-setsize')).toBe('10000');
  });

  it('lets the user set the maximum number of simultaneous transfers', async () => {
    const stop = preferences.connect();
    await fireEvent.change(within(queue()).getByRole('combobox', { name: 'Transfers at the same time' }), {
      target: { value: '6' },
    });
    await waitFor(() =>
      expect(world.bridge.askedFor('app.setPreferences')).toEqual([{ parallelTransfers: 6 }]),
    );
    stop();
  });

  it('has a tab for the log', async () => {
    world.bridge.answer('files.log', () => [
      { at: 1, text: 'LSTAT /templates/lobby', ms: 3, error: null },
      { at: 2, text: 'OPEN /templates/lobby/x', ms: 4, error: 'No such file' },
    ]);
    await fireEvent.click(within(queue()).getByRole('button', { name: 'Log' }));
    await waitFor(() =>
      expect(screen.getByRole('log').textContent).toContain('OPEN /templates/lobby/x: No such file'),
    );
  });
});
