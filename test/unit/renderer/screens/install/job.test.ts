import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import ActivityTray from '#renderer/frame/ActivityTray.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { install } from '#renderer/stores/connection/install.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { anInstallJob, SERVER_KEY, stepsUpTo } from '#test/support/app/install-models.ts';
import { button, click, dialog, field, open, theBridge, type, useInstallWorld } from './install-world.ts';

useInstallWorld();

describe('the question about the host key of a server', () => {
  const asking = anInstallJob({ status: 'asking', question: 'trust', hostKey: SERVER_KEY });

  it('compares a pasted key with the key of the server, and does not let the user continue if the keys differ', async () => {
    theBridge().answer('install.answer', () => ({}));
    open(asking, '+install');
    expect(await dialog('Is this play.example.org?')).toBeTruthy();
    expect(await screen.findByLabelText(`Host key that the server shows: ${SERVER_KEY}`)).toBeTruthy();
    expect(screen.getByText('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub')).toBeTruthy();
    const paste = /^Paste its output/;
    await type(paste, `256 SHA256:${'A'.repeat(43)} root@play (ED25519)`);
    expect(await screen.findByText(/^This is a different key/)).toBeTruthy();
    expect((await button('Trust and continue')).disabled).toBe(true);
    await type(paste, `256 ${SERVER_KEY} root@play (ED25519)`);
    expect(await screen.findByText('The keys are the same.')).toBeTruthy();
    await click('Trust and continue');
    await waitFor(() =>
      expect(theBridge().askedFor('install.answer')).toEqual([{ id: 'job-1', trust: true }]),
    );
  });

  it('lets the user reject the key', async () => {
    theBridge().answer('install.answer', () => ({}));
    open(asking, '+install');
    await click('Do not continue');
    await waitFor(() =>
      expect(theBridge().askedFor('install.answer')).toEqual([{ id: 'job-1', trust: false }]),
    );
  });

  it('gets the focus when it appears', async () => {
    open(anInstallJob(), '+install');
    await waitFor(async () => expect(document.activeElement).toBe(await button('Continue in background')));
    theBridge().push('install', asking);
    await waitFor(async () => expect(document.activeElement).toBe(await field(/^Paste its output/)));
  });

  it('refers to the dialog of the operating system if the user can answer only there', async () => {
    open(anInstallJob({ status: 'asking', question: 'login', hostKey: SERVER_KEY }), '+install');
    expect(await screen.findByText(/^A dialog of the system asks/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Trust and continue' })).toBeNull();
  });
});

describe('a running installation', () => {
  const uploading = anInstallJob({
    steps: stepsUpTo('upload', {
      ...{ status: 'running', startedAt: Date.now() - 12_400, command: 'sftp put x.deb' },
      progress: { done: 12_582_912, total: 50_331_648 },
    }),
    problems: [{ severity: 'warning', text: 'Port 25565 is in use.' }],
  });

  it('shows for each step the state, time, progress and command', async () => {
    open(uploading, '+install');
    const steps = within(await screen.findByRole('list', { name: 'Steps' }));
    const rows = steps
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim());
    expect(rows).toHaveLength(8);
    expect(rows[0]).toContain('Connect to the server Done 1.0 s');
    expect(rows[1]).toContain('Warning: Port 25565 is in use.');
    expect(rows[3]).toMatch(/Upload the package Running \d+ s.*12\.0 MB of 48\.0 MB/);
    expect(rows[4]).toContain('Install the package Waiting');
    expect(steps.getByRole('progressbar', { name: 'Progress: Upload the package' }).ariaValueNow).toBe('25');
    expect(steps.queryByText('sftp put x.deb')).toBeNull();
    const toggle = await button('Show the command: Upload the package');
    await fireEvent.click(toggle);
    expect(await steps.findByText('sftp put x.deb')).toBeTruthy();
    expect(toggle.getAttribute('aria-expanded')).toBe('true');
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain(
      'Step 4 of 8: Upload the package',
    );
  });

  it('continues in the background, and appears in the list of running tasks', async () => {
    open(uploading, '+install');
    render(ActivityTray, { open: true });
    await click('Continue in background');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Installing/ })).toBeNull());
    expect(route.parts).toEqual(['connections']);
    expect(await screen.findByText('Step 4 of 8: Upload the package')).toBeTruthy();
    expect(theBridge().askedFor('install.cancel')).toEqual([]);
    await click('Show: Install on play.example.org');
    expect(await dialog(/^Installing/)).toBeTruthy();
  });

  it('shows a message if it asks a question or ends while it is in the background', async () => {
    open(uploading);
    await waitFor(() => expect(install.job).not.toBeNull());
    theBridge().push('install', anInstallJob({ status: 'asking', question: 'trust', hostKey: SERVER_KEY }));
    theBridge().push('install', uploading);
    theBridge().push('install', anInstallJob({ status: 'done', steps: stepsUpTo(null) }));
    expect(toasts.list.map(({ text }) => text)).toEqual([
      'Install on play.example.org: Waits for you to compare the host key of the server',
      'Install on play.example.org: Done in 8.0 s',
    ]);
    toasts.list[0]?.action?.onselect();
    expect(await dialog('The master on play.example.org runs')).toBeTruthy();
  });

  it('can be cancelled once, and then shows that it waits for the current command', async () => {
    theBridge().answer('install.cancel', () => ({}));
    open(uploading, '+install');
    await click('Cancel installation');
    expect((await button(/^Cancelling after/)).disabled).toBe(true);
    expect(theBridge().askedFor('install.cancel')).toEqual([{ id: 'job-1' }]);
    theBridge().push('install', { ...uploading, status: 'cancelled' });
    expect(await screen.findByText('Nothing keeps running on the server')).toBeTruthy();
  });
});

describe('an installation that failed or was cancelled', () => {
  const error = new OverworldError('SERVER_LOGIN_REFUSED', {
    ...{ address: 'play.example.org:2200', user: 'anna', why: 'it accepts only: publickey' },
  });
  const failed = anInstallJob({
    ...{ status: 'failed', address: 'anna@play.example.org:2200', error: toWire(error) },
    steps: stepsUpTo('check', { status: 'failed', command: 'sh check.sh', ms: 300 }),
    problems: [{ severity: 'error', text: 'Its system is Alpine Linux 3.20.' }],
  });
  beforeEach(() => theBridge().answer('install.resume', () => ({})));

  it('shows the reason, the problems and the failed command, and can be repeated', async () => {
    open(failed, '+install');
    expect((await screen.findByRole('alert')).textContent).toContain('it accepts only: publickey');
    expect(screen.getByText('Problem:').parentElement?.textContent).toContain('Alpine Linux 3.20');
    expect(screen.getByText('sh check.sh')).toBeTruthy();
    await waitFor(async () => expect(document.activeElement).toBe(await button('Try again')));
    await click('Try again');
    await waitFor(() => expect(theBridge().askedFor('install.resume')).toEqual([{ id: 'job-1' }]));
  });

  it('can continue with another login, and the form contains the previous address', async () => {
    open(failed, '+install');
    await click('Edit login…');
    expect(await dialog('Edit the login')).toBeTruthy();
    expect([
      (await field('Host')).value,
      (await field('SSH port')).value,
      (await field('User')).value,
    ]).toEqual([...['play.example.org', '2200', 'anna']]);
    await waitFor(async () => expect(document.activeElement).toBe(await field('Host')));
    await type('User', 'root');
    await click('Try again');
    await waitFor(() =>
      expect(theBridge().askedFor('install.resume')).toEqual([
        {
          id: 'job-1',
          login: { host: 'play.example.org', port: 2200, user: 'root', login: { kind: 'agent' } },
        },
      ]),
    );
    theBridge().push('install', anInstallJob());
    expect(await dialog(/^Installing/)).toBeTruthy();
  });

  it('is discarded when the user closes the dialog', async () => {
    open(failed, '+install');
    const inDialog = within(await dialog('The installation on play.example.org failed'));
    const [, atFoot] = inDialog.getAllByRole('button', { name: 'Close' });
    await fireEvent.click(atFoot ?? document.body);
    await waitFor(() => expect(theBridge().askedFor('install.close')).toEqual([{ id: 'job-1' }]));
    expect(route.parts).toEqual(['connections']);
    await waitFor(() => expect(install.job).toBeNull());
  });

  it('can continue after it was cancelled', async () => {
    open({ ...failed, status: 'cancelled', error: null, problems: [] }, '+install');
    await click('Continue installation');
    await waitFor(() => expect(theBridge().askedFor('install.resume')).toEqual([{ id: 'job-1' }]));
  });
});

describe('a completed installation', () => {
  const done = anInstallJob({
    ...{ status: 'done', connection: 'b', masterHostKey: SERVER_KEY },
    steps: stepsUpTo(null).map((step, n) => (n === 4 ? { ...step, status: 'unchanged' as const } : step)),
  });

  it('shows the version, the connection, the host key, and what was already installed', async () => {
    open(done, '+install');
    expect(await screen.findByText('Overworld master 0.2.0 runs, and this app is its owner')).toBeTruthy();
    expect(screen.getByText(/This app knows it as “Berlin”/)).toBeTruthy();
    expect(screen.getByLabelText(new RegExp(`^Host key of the master.*${SERVER_KEY}$`))).toBeTruthy();
    expect(screen.getByText('Already done')).toBeTruthy();
  });

  it('opens the dashboard of the new master, and does not appear again after a reload', async () => {
    const use = vi.fn(() => ({}));
    theBridge().answer('connections.use', use);
    open(done, '+install');
    await click('Open dashboard');
    await waitFor(() => expect(use).toHaveBeenCalledWith({ id: 'b' }));
    expect(route.parts).toEqual(['overview']);
    expect(theBridge().askedFor('install.close')).toEqual([{ id: 'job-1' }]);
  });

  it('is closed when the next installation is opened', async () => {
    open(done);
    await waitFor(() => expect(install.job).not.toBeNull());
    await click('Install on a server');
    expect(await dialog('Install on a server')).toBeTruthy();
    expect(theBridge().askedFor('install.close')).toEqual([{ id: 'job-1' }]);
  });
});
