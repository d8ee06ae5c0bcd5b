import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { anInstallJob } from '#test/support/app/install-models.ts';
import { click, dialog, field, open, theBridge, type, useInstallWorld } from './install-world.ts';

useInstallWorld();

describe('the form that installs a master on a server', () => {
  beforeEach(() => theBridge().answer('install.start', () => anInstallJob()));

  it('requires only the address if an SSH agent is running', async () => {
    open(null);
    await click('Install on a server');
    expect(route.parts).toEqual(['connections', '+install']);
    await type('Host', 'anna@play.example.org:2200');
    await fireEvent.blur(await field('Host'));
    expect([
      (await field('Host')).value,
      (await field('SSH port')).value,
      (await field('User')).value,
    ]).toEqual([...['play.example.org', '2200', 'anna']]);
    await click('Install');
    await waitFor(() =>
      expect(theBridge().askedFor('install.start')).toEqual([
        {
          server: { host: 'play.example.org', port: 2200, user: 'anna', login: { kind: 'agent' } },
          ...{ name: 'play.example.org', masterPort: 2022, hostname: null, haproxy: false, openPorts: true },
          services: false,
        },
      ]),
    );
    expect(await dialog('Installing a master on play.example.org')).toBeTruthy();
  });

  it('enables services on the server only on request', async () => {
    open(null, '+install');
    await type('Host', 'h');
    await fireEvent.click(await screen.findByRole('switch', { name: 'This server runs services, too' }));
    await click('Install');
    await waitFor(() =>
      expect(theBridge().askedFor('install.start')).toMatchObject([{ services: true, haproxy: false }]),
    );
  });

  it('splits a pasted address at once', async () => {
    open(null, '+install');
    const pasted = { target: { value: 'ssh -p 2200 anna@play.example.org' }, inputType: 'insertFromPaste' };
    await fireEvent.input(await field('Host'), pasted);
    await waitFor(async () => expect((await field('Host')).value).toBe('play.example.org'));
    expect((await field('SSH port')).value).toBe('2200');
  });

  it('shows all errors instead of starting, and opens the options if one of these has an error', async () => {
    open(null, '+install');
    await type('Port of the master', '0');
    await click('Install');
    expect(await screen.findByText(/^Enter the name or address of the server/)).toBeTruthy();
    expect(await screen.findByText(/Masters use 2022\.$/)).toBeTruthy();
    expect(screen.getByText('Options').closest('details')?.open).toBe(true);
    await waitFor(async () => expect(document.activeElement).toBe(await field('Host')));
    expect(theBridge().askedFor('install.start')).toEqual([]);
  });

  it('asks for the passphrase of an encrypted key, and for the sudo password of a user other than root', async () => {
    const key = { path: '/home/anna/.ssh/id_rsa', encrypted: true };
    theBridge().answer('install.logins', () => ({ agent: false, keyFiles: [key] }));
    open(null, '+install');
    expect(await field('Private key')).toHaveProperty('value', key.path);
    expect(screen.queryByRole('radio', { name: 'SSH agent' })).toBeNull();
    expect(screen.queryByLabelText('Password for sudo')).toBeNull();
    await type('Host', 'h');
    await type('User', 'anna');
    await type('Password for sudo', 'sesame');
    await click('Install');
    expect(await screen.findByText('Enter the passphrase of this key.')).toBeTruthy();
    await type('Passphrase', 'secret');
    await click('Install');
    await waitFor(() =>
      expect(theBridge().askedFor('install.start')).toMatchObject([
        {
          server: {
            login: { kind: 'keyFile', path: key.path, passphrase: 'secret' },
            sudoPassword: 'sesame',
          },
        },
      ]),
    );
  });

  it('uses a key file that the user chooses', async () => {
    theBridge().answer('install.pickKeyFile', () => ({ path: '/media/key', encrypted: false }));
    open(null, '+install');
    await type('Host', 'h');
    await fireEvent.click(await screen.findByRole('radio', { name: 'Key file' }));
    await click('Install');
    expect(await screen.findByText('Choose a private key.')).toBeTruthy();
    await click('Choose…');
    await waitFor(async () => expect(await field('Private key')).toHaveProperty('value', '/media/key'));
    await click('Install');
    await waitFor(() =>
      expect(theBridge().askedFor('install.start')).toMatchObject([
        { server: { login: { kind: 'keyFile', path: '/media/key' } } },
      ]),
    );
  });

  it('asks for a hidden password if the computer has neither an SSH agent nor a key', async () => {
    theBridge().answer('install.logins', () => ({ agent: false, keyFiles: [] }));
    open(null, '+install');
    await type('Host', 'h');
    // Exclude the radio button for the login, which has the same name.
    const password = await screen.findByLabelText('Password', { selector: 'input:not([type="radio"])' });
    expect(password.getAttribute('type')).toBe('password');
    await fireEvent.input(password, { target: { value: 'secret' } });
    await click('Install');
    await waitFor(() =>
      expect(theBridge().askedFor('install.start')).toMatchObject([
        { server: { login: { kind: 'password', password: 'secret' } } },
      ]),
    );
  });

  it('shows the reason if the installation was not started', async () => {
    theBridge().answer('install.start', () => {
      throw new OverworldError('INSTALL_RUNNING', { address: 'root@other:22' });
    });
    open(null, '+install');
    await type('Host', 'h');
    await click('Install');
    expect((await screen.findByRole('alert')).textContent).toContain('root@other:22 is running');
  });

  it('shows commands for a terminal with the entered address and options, but without the login', async () => {
    theBridge().answer('install.commands', ({ server, masterPort }) => ({
      lines: [`install ${server.host} ${masterPort}`],
    }));
    open(null, '+install');
    const inDialog = within(await dialog('Install on a server'));
    await type('Host', 'root@h');
    await fireEvent.click(inDialog.getByText('Install it yourself with two commands'));
    expect(await inDialog.findByText('install h 2022')).toBeTruthy();
    await type('Port of the master', '2200');
    expect(await inDialog.findByText('install h 2200')).toBeTruthy();
  });
});

describe('the card about running a master on a server', () => {
  it('offers the installation, and shows the terminal commands on request', async () => {
    theBridge().answer('install.commands', ({ server }) => ({ lines: [`install on ${server.host}`] }));
    open(null);
    const card = within(await screen.findByRole('region', { name: 'Another master' }));
    expect(theBridge().askedFor('install.commands')).toEqual([]);
    await fireEvent.click(card.getByText('Install it yourself with two commands'));
    expect(await card.findByText('install on play.example.org')).toBeTruthy();
    await fireEvent.click(card.getByRole('button', { name: 'Install on a server…' }));
    expect(await dialog('Install on a server')).toBeTruthy();
  });
});
