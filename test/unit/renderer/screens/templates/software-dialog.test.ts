import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import SoftwareDialog from '#renderer/screens/software/SoftwareDialog.svelte';
import { services } from '#renderer/stores/services.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Template } from '#shared/model/template.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aService, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { bridgeOver } from '../../support/window-world.ts';

const onclose = vi.fn();
let bridge: FakeBridge;
let disconnect: () => void;
let unmount: () => void;
let rerender: (props: { template: Template }) => Promise<void>;
/** Lets the master answer the request that puts the software into the template. */
let answer: (error?: Error) => void;

/** Opens the dialog for a template with a running service, and starts the installation. */
beforeEach(async () => {
  onclose.mockReset();
  const answered = new Promise<void>((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error));
  });
  const template = aTemplate('proxy');
  bridge = bridgeOver({ templates: [template], services: [aService('proxy', 1)] })
    .answerCall('software.install', async () => {
      await answered;
      return { before: 'r0' };
    })
    .answerCall('templates.restart', () => ({ services: ['proxy-1'] }));
  disconnect = connectStores(bridge);
  await waitFor(() => expect(services.list).toHaveLength(1));
  const start = { software: 'practice-proxy', version: null, build: null } as const;
  ({ unmount, rerender } = render(SoftwareDialog, { template, start, onclose }));
  await screen.findByRole('checkbox', { name: /^Rolling restart of 1 service/, checked: true });
  await fireEvent.click(screen.getByRole('button', { name: 'Use' }));
  await waitFor(() => expect(bridge.askedFor('software.install')).toHaveLength(1));
  for (const { id } of toasts.list) toasts.close(id);
});
afterEach(() => {
  cleanup();
  disconnect();
});

/** Waits for the message about the installation, which offers to undo it. */
const installed = () =>
  waitFor(() => expect(toasts.list.map(({ action }) => action?.label)).toContain('Undo'));
const cancel = () => fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));

describe('the dialog for the software of a template', () => {
  it('closes after the installation, and starts the rolling restart', async () => {
    answer();
    await installed();
    await waitFor(() =>
      expect(bridge.askedFor('templates.restart')).toEqual([{ id: 'proxy', which: 'outdated' }]),
    );
    expect(onclose).toHaveBeenCalledOnce();
  });

  it('starts the rolling restart even if the notice that opened it disappears with the installation', async () => {
    unmount();
    answer();
    await installed();
    await waitFor(() => expect(bridge.askedFor('templates.restart')).toHaveLength(1));
  });

  it('starts no rolling restart and closes no later dialog if the user cancels during the installation', async () => {
    await cancel();
    unmount();
    answer();
    await installed();
    expect(onclose).toHaveBeenCalledOnce();
    expect(bridge.askedFor('templates.restart')).toEqual([]);
  });

  it('restarts and restores its own template even if another template is displayed meanwhile', async () => {
    bridge.answerCall('templates.restoreRevision', () => ({}));
    await rerender({ template: aTemplate('lobby') });
    answer();
    await installed();
    await waitFor(() => expect(bridge.askedFor('templates.restart')).toMatchObject([{ id: 'proxy' }]));
    const toast = toasts.list.find(({ action }) => action?.label === 'Undo');
    expect(toast?.text).toMatch(/^Template proxy has /);
    toast?.action?.onselect();
    await waitFor(() =>
      expect(bridge.askedFor('templates.restoreRevision')).toEqual([{ id: 'proxy', revision: 'r0' }]),
    );
  });

  it('shows a failure in a message if the user has closed it', async () => {
    await cancel();
    unmount();
    answer(new OverworldError('DISK_FULL', { path: '/var/lib/overworld' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('/var/lib/overworld'));
  });
});
