import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import AddKeyDialog from '#renderer/screens/configuration/AddKeyDialog.svelte';
import LimitKeyDialog from '#renderer/screens/configuration/LimitKeyDialog.svelte';
import NetworkDialog from '#renderer/screens/network/NetworkDialog.svelte';
import CloneDialog from '#renderer/screens/templates/data/CloneDialog.svelte';
import CreateDialog from '#renderer/screens/templates/dialogs/CreateDialog.svelte';
import DuplicateDialog from '#renderer/screens/templates/dialogs/DuplicateDialog.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate, aVolume, AT } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { bridgeOver } from '../support/window-world.ts';

const volume = aVolume('survival/1');
const key = {
  ...{ name: 'bo', role: 'operator' as const, fingerprint: 'SHA256:bo', addedAt: AT },
  templates: ['lobby'],
};
const onclose = vi.fn();
let bridge: FakeBridge;
let disconnect: () => void;
/** Lets the master answer the request of the dialog. */
let answer: (error?: Error) => void;

beforeEach(async () => {
  onclose.mockReset();
  const answered = new Promise<void>((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error));
  });
  const later = async <T>(result: T): Promise<T> => answered.then(() => result);
  bridge = bridgeOver({ templates: [aTemplate('lobby')], volumes: [volume] })
    .answerCall('templates.create', ({ id }) => later(aTemplate(id)))
    .answerCall('templates.createAll', ({ templates: all }) => later(all.map(({ id }) => aTemplate(id))))
    .answerCall('templates.duplicate', ({ to }) => later(aTemplate(to)))
    .answerCall('volumes.clone', () => later({}))
    .answerCall('keys.list', () => [key])
    .answerCall('keys.add', ({ name }) => later({ ...key, name }))
    .answerCall('keys.limit', () => later(key));
  disconnect = connectStores(bridge);
  await waitFor(() => expect(templates.list).toHaveLength(1));
  route.go('overview');
});
afterEach(() => {
  cleanup();
  disconnect();
});

const PUBLIC_KEY = `ssh-ed25519 ${btoa(`\0\0\0\vssh-ed25519\0\0\0 ${'k'.repeat(32)}`)} bo`;

describe.each([
  {
    dialog: 'Create template',
    show: () => render(CreateDialog, { onclose }),
    button: 'Create template',
    method: 'templates.create',
    page: ['files', 'templates', 'lobby-2'],
  },
  {
    dialog: 'Duplicate template',
    show: () => render(DuplicateDialog, { template: aTemplate('lobby'), onclose }),
    button: 'Duplicate template',
    method: 'templates.duplicate',
    page: ['templates', 'lobby-copy'],
  },
  {
    dialog: 'Create a network',
    show: () => render(NetworkDialog, { onclose }),
    button: 'Create network',
    method: 'templates.createAll',
    page: ['templates'],
  },
  {
    dialog: 'Clone volume',
    show: () => render(CloneDialog, { volume, save: null, onclose }),
    button: 'Clone volume',
    method: 'volumes.clone',
    page: ['templates', 'survival', 'data'],
  },
  {
    dialog: 'Add key',
    show: async () => {
      render(AddKeyDialog, { onclose });
      await fireEvent.input(screen.getByRole('textbox', { name: 'Public key' }), {
        target: { value: PUBLIC_KEY },
      });
    },
    button: 'Add key',
    method: 'keys.add',
    page: null,
  },
  {
    dialog: 'Templates of a key',
    show: () => render(LimitKeyDialog, { key, onclose }),
    button: 'Save',
    method: 'keys.limit',
    page: null,
  },
] as const)('the dialog $dialog, closed while its request runs', ({ show, button, method, page }) => {
  beforeEach(async () => {
    await show();
    await fireEvent.click(screen.getByRole('button', { name: button }));
    await waitFor(() => expect(bridge.askedFor(method)).toHaveLength(1));
    cleanup();
    for (const { id } of toasts.list) toasts.close(id);
  });

  it('shows the failure in a message', async () => {
    answer(new OverworldError('NODE_UNREACHABLE', { node: 'node-9', why: 'no answer' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('node-9'));
  });

  it('shows the success in a message, closes no later dialog and opens no other screen', async () => {
    answer();
    await waitFor(() => expect(toasts.list).toHaveLength(1));
    expect(onclose).not.toHaveBeenCalled();
    expect(route.screen).toBe('overview');
    const [message] = toasts.list;
    expect(message?.action?.label).toBe(page === null ? undefined : 'Show');
    message?.action?.onselect();
    if (page !== null) expect(route.parts.slice(0, page.length)).toEqual(page);
  });
});
