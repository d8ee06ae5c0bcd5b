import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import RestoreDialog from '#renderer/screens/templates/data/RestoreDialog.svelte';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { aSave, aVolume } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { bridgeOver } from '../../support/window-world.ts';

let disconnect: () => void;
/** Lets the master answer the request for the restore. */
let answer: (error?: Error) => void;
const onclose = vi.fn();

beforeEach(async () => {
  onclose.mockReset();
  const answered = new Promise<void>((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error));
  });
  const volume = aVolume('survival/1', { lastSave: aSave(2, { current: true }), saves: 2 });
  const bridge = bridgeOver({ volumes: [volume] }).answerCall('volumes.restore', async () => {
    await answered;
    return {};
  });
  disconnect = connectStores(bridge);
  render(RestoreDialog, { volume, save: aSave(1), onclose });
  await fireEvent.click(screen.getByRole('button', { name: 'Restore save' }));
  await waitFor(() => expect(bridge.askedFor('volumes.restore')).toHaveLength(1));
});
afterEach(() => {
  cleanup();
  disconnect();
});

describe('a restore whose dialog was closed', () => {
  it('closes no later dialog when it has succeeded', async () => {
    cleanup();
    answer();
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('survival/1 is restored'));
    expect(onclose).not.toHaveBeenCalled();
  });

  it('shows a message when it has failed', async () => {
    cleanup();
    answer(new OverworldError('NODE_UNREACHABLE', { node: 'node-9', why: 'no answer' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('node-9'));
  });
});

describe('a restore whose dialog is open', () => {
  it('closes the dialog when it has succeeded', async () => {
    answer();
    await waitFor(() => expect(onclose).toHaveBeenCalledOnce());
  });

  it('shows the error in the dialog when it has failed', async () => {
    answer(new OverworldError('NODE_UNREACHABLE', { node: 'node-9', why: 'no answer' }));
    expect((await screen.findByRole('alert')).textContent).toContain('node-9');
    expect(onclose).not.toHaveBeenCalled();
  });
});
