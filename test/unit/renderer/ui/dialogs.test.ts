import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import ConfirmDialog from '#renderer/ui/overlay/ConfirmDialog.svelte';
import ErrorMessage from '#renderer/ui/ErrorMessage.svelte';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

const inUse = new OverworldError('TEMPLATE_IN_USE', { template: 'lobby', services: ['lobby-1'] });

function confirmWith(onconfirm: () => Promise<unknown>) {
  const onclose = vi.fn();
  render(ConfirmDialog, {
    open: true,
    title: 'Delete template lobby and its 214 files?',
    consequence: 'This cannot be undone.',
    action: 'Delete template',
    onconfirm,
    onclose,
  });
  return onclose;
}

describe('ConfirmDialog (asks the user to confirm an action)', () => {
  it('has no landmark role, because the page already has such a landmark', async () => {
    document.body.append(document.createElement('header'));
    confirmWith(() => Promise.resolve());
    await screen.findByRole('dialog');
    const { violations } = await axe.run(document, {
      runOnly: [
        ...['landmark-no-duplicate-banner', 'landmark-banner-is-top-level'],
        ...['landmark-no-duplicate-contentinfo', 'landmark-contentinfo-is-top-level'],
      ],
    });
    document.querySelector('header')?.remove();
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it('names the object of the action, and runs the action only once', async () => {
    const onconfirm = vi.fn(() => Promise.resolve());
    const onclose = confirmWith(onconfirm);
    const dialog = await screen.findByRole('dialog', { name: /214 files/ });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Delete template' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(onconfirm).toHaveBeenCalledTimes(1);
    expect(onclose).toHaveBeenCalled();
  });

  it('makes invisible characters visible that could disguise a name', async () => {
    const path = 'photo\u202Egpj.jar';
    const onconfirm = () => Promise.reject(new OverworldError('FILE_NOT_FOUND', { path }));
    render(ConfirmDialog, {
      ...{ open: true, title: `Delete ${path}`, consequence: `${path} is gone then.`, action: 'Delete' },
      onconfirm,
    });
    const dialog = await screen.findByRole('dialog', { name: 'Delete photo⟨202E⟩gpj.jar' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    expect((await screen.findByRole('alert')).textContent).toContain('photo⟨202E⟩gpj.jar');
    expect(dialog.outerHTML).not.toContain('\u202E');
  });

  it('does nothing if the user cancels', async () => {
    const onconfirm = vi.fn(() => Promise.resolve());
    confirmWith(onconfirm);
    await fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(onconfirm).not.toHaveBeenCalled();
  });

  it('ignores the second click of a double click that has opened the dialog, but not its own double clicks', async () => {
    const onconfirm = vi.fn(() => Promise.reject(inUse));
    confirmWith(onconfirm);
    const button = await screen.findByRole('button', { name: 'Delete template' });
    await fireEvent.click(button, { detail: 2 });
    expect(onconfirm).not.toHaveBeenCalled();
    for (const detail of [1, 2]) {
      await fireEvent.click(button, { detail });
      await screen.findByRole('alert');
      expect(onconfirm).toHaveBeenCalledTimes(detail);
    }
  });

  it('ignores a second click while the action is running', async () => {
    let finish: () => void = () => undefined;
    confirmWith(() => new Promise<void>((resolve) => (finish = resolve)));
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Delete template' });
    await fireEvent.click(button);
    expect(button.disabled).toBe(true);
    expect(button.getAttribute('aria-busy')).toBe('true');
    finish();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it.each(['Escape', 'Close'])(
    'shows the failure in a message if it was closed with %s while the action was running',
    async (way) => {
      let fail: (error: Error) => void = () => undefined;
      const onclose = confirmWith(() => new Promise<void>((_resolve, reject) => (fail = reject)));
      const dialog = await screen.findByRole('dialog');
      await fireEvent.click(within(dialog).getByRole('button', { name: 'Delete template' }));
      if (way === 'Escape') await fireEvent.keyDown(dialog, { key: 'Escape' });
      else await fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      fail(inUse);
      await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('Stop them first'));
      toasts.list.forEach(({ id }) => toasts.close(id));
      expect(onclose).toHaveBeenCalledOnce();
    },
  );

  it('stays open with the reason if the action fails', async () => {
    confirmWith(() => Promise.reject(inUse));
    await fireEvent.click(await screen.findByRole('button', { name: 'Delete template' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Stop them first');
    expect(screen.getByRole('dialog')).toBeTruthy();
  });
});

describe('ErrorMessage (shows an error)', () => {
  it('shows the message, the code and a retry button', async () => {
    const onretry = vi.fn();
    render(ErrorMessage, { error: inUse, title: 'The template was not deleted', onretry });
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain('Template lobby has 1 service(s) (lobby-1)');
    expect(alert.textContent).toContain('TEMPLATE_IN_USE');
    await fireEvent.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(onretry).toHaveBeenCalledTimes(1);
  });

  it('shows no button if there is no action', () => {
    render(ErrorMessage, { error: inUse });
    expect(screen.queryByRole('button')).toBeNull();
  });
});
