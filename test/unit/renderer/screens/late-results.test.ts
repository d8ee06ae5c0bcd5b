import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import KickDialog from '#renderer/screens/players/KickDialog.svelte';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { aPlayer } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { bridgeOver } from '../support/window-world.ts';

let disconnect: () => void;
/** Lets the master answer the request of the dialog. */
let answer: (error?: Error) => void;
const onclose = vi.fn();

beforeEach(async () => {
  onclose.mockReset();
  const answered = new Promise<void>((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error));
  });
  const bridge = bridgeOver({}).answerCall('players.kick', async () => {
    await answered;
    return {};
  });
  disconnect = connectStores(bridge);
  render(KickDialog, { players: [aPlayer('Anna', 1)], onclose });
  await fireEvent.click(screen.getByRole('button', { name: 'Kick Anna' }));
  await waitFor(() => expect(bridge.askedFor('players.kick')).toHaveLength(1));
});
afterEach(() => {
  cleanup();
  disconnect();
});

describe('a dialog whose action is still running', () => {
  it('closes when the action has succeeded', async () => {
    answer();
    await waitFor(() => expect(onclose).toHaveBeenCalledOnce());
  });

  it('shows the error when the action has failed', async () => {
    answer(new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'no answer' }));
    expect((await screen.findByRole('alert')).textContent).toContain('node-1');
    expect(onclose).not.toHaveBeenCalled();
  });

  it('closes no later dialog if the person has closed it before the action succeeded', async () => {
    cleanup();
    answer();
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('Anna'));
    expect(onclose).not.toHaveBeenCalled();
  });

  it('shows the error in a message if the person has closed it before the action failed', async () => {
    cleanup();
    answer(new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'no answer' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('node-1'));
  });
});
