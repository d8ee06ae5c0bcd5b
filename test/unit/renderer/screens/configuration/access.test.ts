import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { master } from '#renderer/stores/master.svelte.ts';
import { aKey, open, useConfigurationScreen } from './configuration-screen.ts';

useConfigurationScreen();

describe('the screen of authorized keys', () => {
  it("marks the user's own key, and cannot remove the key of the last owner", async () => {
    open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Authorized keys' });
    const anna = await within(table).findByRole('row', { name: /anna/ });
    expect(anna.textContent).toContain('you');
    await fireEvent.click(anna, { ctrlKey: true });
    await fireEvent.keyDown(table, { key: 'Delete' });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('removes a key after the user has confirmed', async () => {
    const world = open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Authorized keys' });
    await fireEvent.click(await within(table).findByRole('row', { name: /ben/ }), { ctrlKey: true });
    await fireEvent.keyDown(table, { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Remove key ben' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Remove key' }));
    await waitFor(() => expect(world.bridge.askedFor('keys.remove')).toEqual([{ key: 'SHA256:ben' }]));
    await waitFor(() => expect(within(table).queryByRole('row', { name: /ben/ })).toBeNull());
  });

  it('adds a pasted key under the name in its comment, and rejects a private key', async () => {
    const world = open({ at: ['access'] });
    await fireEvent.click(await screen.findByRole('button', { name: 'Add key' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add key' });
    const pasted = within(dialog).getByRole('textbox', { name: 'Public key' });
    await fireEvent.input(pasted, { target: { value: '-----BEGIN OPENSSH PRIVATE KEY-----' } });
    expect(within(dialog).getByText(/This is a private key/)).toBeTruthy();
    await fireEvent.input(pasted, { target: { value: 'ssh-ed25519 AAAAC3Nza carla@home' } });
    expect(within(dialog).getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('carla@home');
    await fireEvent.click(within(dialog).getByRole('radio', { name: 'operator' }));
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Add key' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('keys.add')).toEqual([
        { name: 'carla@home', role: 'operator', publicKey: 'ssh-ed25519 AAAAC3Nza carla@home' },
      ]),
    );
  });

  it('adds a key that is limited to some templates, and shows these templates', async () => {
    const world = open({ at: ['access'] });
    await fireEvent.click(await screen.findByRole('button', { name: 'Add key' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add key' }));
    await fireEvent.input(dialog.getByRole('textbox', { name: 'Public key' }), {
      target: { value: 'ssh-ed25519 AAAAC3Nza carla@home' },
    });
    expect(dialog.queryByRole('textbox', { name: 'Templates' })).toBeNull();
    await fireEvent.click(dialog.getByRole('radio', { name: 'files' }));
    const field = dialog.getByRole('textbox', { name: 'Templates' });
    await fireEvent.input(field, { target: { value: 'lobby' } });
    await fireEvent.keyDown(field, { key: 'Enter' });
    await fireEvent.input(field, { target: { value: 'bedwars*' } });
    await fireEvent.keyDown(field, { key: 'Enter' });
    await fireEvent.click(dialog.getByRole('button', { name: 'Add key' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('keys.add')).toEqual([
        {
          name: 'carla@home',
          role: 'files',
          publicKey: 'ssh-ed25519 AAAAC3Nza carla@home',
          templates: ['lobby', 'bedwars*'],
        },
      ]),
    );
    const table = await screen.findByRole('grid', { name: 'Authorized keys' });
    expect((await within(table).findByRole('row', { name: /carla/ })).textContent).toContain(
      'lobby, bedwars*',
    );
    expect(within(table).getByRole('row', { name: /ben/ }).textContent).toContain('all templates');
  });

  it("can change the templates of an operator's key, but not of a viewer's key", async () => {
    const world = open({ at: ['access'] });
    world.keys = [...world.keys, { ...aKey('carla', 'operator'), templates: ['lobby'] }];
    const table = await screen.findByRole('grid', { name: 'Authorized keys' });
    await fireEvent.contextMenu(await within(table).findByRole('row', { name: /ben/ }));
    const disabled = await screen.findByRole('menuitem', { name: /Change templates/ });
    expect(disabled.getAttribute('aria-disabled')).toBe('true');
    await fireEvent.keyDown(disabled, { key: 'Escape' });
    await fireEvent.contextMenu(await within(table).findByRole('row', { name: /carla/ }));
    await fireEvent.click(await screen.findByRole('menuitem', { name: /Change templates/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates of carla' }));
    await fireEvent.click(dialog.getByRole('button', { name: /Remove lobby/ }));
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('keys.limit')).toEqual([{ key: 'SHA256:carla', templates: null }]),
    );
  });

  it('is shown only to owners, and requests the list of keys only for them', async () => {
    // The window does not know the role yet.
    master.value = null;
    const { bridge } = open({ at: ['access'], role: 'viewer' });
    expect(await screen.findByText(/^Your key has the role viewer/)).toBeTruthy();
    await screen.findByRole('grid', { name: 'Open sessions' });
    expect(bridge.askedFor('keys.list')).toEqual([]);
  });
});

describe('the list of SSH sessions', () => {
  it('shows key, address and use of a session, and ends a session after the user has confirmed', async () => {
    const world = open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Open sessions' });
    const ben = await within(table).findByRole('row', { name: /ben/ });
    expect(ben.textContent).toContain('203.0.113.9');
    expect(ben.textContent).toContain('SFTP');
    await fireEvent.click(within(ben).getByRole('button', { name: 'End' }));
    const dialog = await screen.findByRole('dialog', { name: 'End session of ben' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'End session' }));
    await waitFor(() => expect(world.bridge.askedFor('sessions.end')).toEqual([{ session: 'bbbbbbbb' }]));
    await waitFor(() => expect(within(table).queryByRole('row', { name: /ben/ })).toBeNull());
  });

  it('marks the session of this window, which the user cannot end here', async () => {
    open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Open sessions' });
    const anna = await within(table).findByRole('row', { name: /anna/ });
    expect(anna.textContent).toContain('this app');
    expect(anna.textContent).toContain('App, SFTP');
    expect(within(anna).getByRole<HTMLButtonElement>('button', { name: 'End' }).disabled).toBe(true);
  });

  it('is also shown to viewers', async () => {
    open({ at: ['access'], role: 'viewer' });
    expect(await screen.findByRole('grid', { name: 'Open sessions' })).toBeTruthy();
    expect(await screen.findByText('Open sessions of your key.')).toBeTruthy();
  });

  it('is hidden if the master has the previous API version', async () => {
    open({ at: ['access'], hasSessions: false });
    await screen.findByRole('grid', { name: 'Authorized keys' });
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Sessions' })).toBeNull());
  });
});
