import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import Palette from '#renderer/frame/palette/Palette.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { install } from '#renderer/stores/connection/install.svelte.ts';
import { playerEntry } from '#renderer/stores/player-entry.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { aMoveJob, SERVER_KEY, stepsOf } from '#test/support/app/install-models.ts';
import { aBalancer, aPlayerEntry } from '#test/support/app/models.ts';
import {
  berlin,
  button,
  click,
  dialog,
  field,
  open,
  theBridge,
  type,
  useInstallWorld,
} from './install-world.ts';

useInstallWorld();

const choose = async (side: 'Old' | 'New') => click(new RegExp(`^${side} server`));

describe('the form that moves a master to another server', () => {
  const remembered = {
    ...{ host: 'ssh.berlin.example', port: 2200, user: 'anna' },
    login: { kind: 'keyFile' as const, path: '/media/key' },
  };
  beforeEach(() => theBridge().answer('install.move', () => aMoveJob()));

  it('opens from the menu of a remote connection by keyboard, but not for the embedded master', async () => {
    open(null);
    (await button('Actions for Berlin')).focus();
    await fireEvent.keyDown(await button('Actions for Berlin'), { key: 'Enter' });
    const item = await screen.findByRole('menuitem', { name: 'Move to another server…' });
    item.focus();
    await fireEvent.keyDown(item, { key: 'Enter' });
    expect(await dialog('Move Berlin to another server')).toBeTruthy();
    expect(route.parts).toEqual(['connections', '+move', 'b']);
    expect(screen.queryByRole('button', { name: 'Actions for This computer' })).toBeNull();
  });

  it('is found in the command palette', async () => {
    open(null);
    await button('Actions for Berlin');
    render(Palette, { open: true, onshortcuts: () => undefined, onled: () => undefined });
    await fireEvent.input(await screen.findByRole('combobox'), { target: { value: 'move master' } });
    await fireEvent.click(await screen.findByText('Move the master Berlin to another server'));
    expect(await dialog('Move Berlin to another server')).toBeTruthy();
  });

  it('explains the move, contains the old server, and asks for the new server', async () => {
    theBridge().answer('install.server', () => remembered);
    open(null, '+move', 'b');
    expect(await screen.findByText(/^Services and players on cloud nodes stay/)).toBeTruthy();
    await waitFor(async () => expect((await field('Host')).value).toBe('ssh.berlin.example'));
    await click('Continue');
    await waitFor(async () => expect((await field('Host')).value).toBe(''));
    expect(document.activeElement).toBe(await field('Host'));
    expect(await screen.findByText(/^The master on ssh\.berlin\.example serves until/)).toBeTruthy();
    expect(screen.queryByLabelText('Port of the master')).toBeNull();
    await type('Host', 'root@play.example.org:2201');
    await type('Address for cloud nodes', '203.0.113.8');
    await fireEvent.click(screen.getByRole('switch', { name: 'Install HAProxy' }));
    await click('Move the master');
    await waitFor(() =>
      expect(theBridge().askedFor('install.move')).toEqual([
        {
          connection: 'b',
          from: remembered,
          server: { host: 'play.example.org', port: 2201, user: 'root', login: { kind: 'agent' } },
          ...{ hostname: '203.0.113.8', haproxy: true, openPorts: true },
        },
      ]),
    );
    expect(await dialog('Moving Berlin to play.example.org')).toBeTruthy();
  });

  it('contains the host of the connection as the old server, and keeps the input for both servers', async () => {
    open(null, '+move', 'b');
    await waitFor(async () => expect((await field('Host')).value).toBe('berlin.example'));
    await type('User', 'anna');
    await click('Continue');
    await type('Host', 'play.example.org');
    await click('Back');
    expect((await field('User')).value).toBe('anna');
    expect(document.activeElement).toBe(await field('Host'));
    await choose('New');
    expect((await field('Host')).value).toBe('play.example.org');
  });

  it('does not start the move if a field is invalid, and shows the server to which the field belongs', async () => {
    open(null, '+move', 'b');
    await type('Host', '');
    await click('Continue');
    expect(await screen.findByText(/^Enter the name or address of the server/)).toBeTruthy();
    expect(document.activeElement).toBe(await field('Host'));
    await choose('New');
    await type('Host', 'play.example.org');
    await click('Move the master');
    expect(await screen.findByText(/^Enter the name or address of the server/)).toBeTruthy();
    expect((await button(/^Old server/)).getAttribute('aria-current')).toBe('step');
    expect(theBridge().askedFor('install.move')).toEqual([]);
  });

  it('rejects the old server as the new server', async () => {
    open(null, '+move', 'b');
    await click('Continue');
    await type('Host', 'Berlin.example');
    await click('Move the master');
    expect(await screen.findByText(/^This is the old server/)).toBeTruthy();
    expect(theBridge().askedFor('install.move')).toEqual([]);
  });

  it.each([
    ['working', true],
    ['absent', false],
  ] as const)(
    'suggests HAProxy only if the connected master uses a working HAProxy (here: %s)',
    async (state, checked) => {
      const balancer = { ...aBalancer(), state };
      theBridge()
        .answer('connections.list', () => [{ ...berlin, active: true }])
        .answerCall('wayIn.get', () => aPlayerEntry({ balancer }));
      playerEntry.value = null;
      open(null);
      await waitFor(() => expect(playerEntry.value?.balancer.state).toBe(state));
      await click('Actions for Berlin');
      await fireEvent.click(await screen.findByRole('menuitem', { name: 'Move to another server…' }));
      await choose('New');
      const haproxy = await screen.findByRole('switch', { name: 'Install HAProxy' });
      expect(haproxy.getAttribute('aria-checked')).toBe(String(checked));
    },
  );

  it('is not offered while another job is running', async () => {
    open(aMoveJob());
    await waitFor(() => expect(install.active).toBe(true));
    await click('Actions for Berlin');
    const item = await screen.findByRole('menuitem', { name: /^Move to another server…/ });
    expect(item.getAttribute('aria-disabled')).toBe('true');
  });
});

describe('a move of a master', () => {
  it('names both servers, and explains the effect of a cancellation', async () => {
    theBridge().answer('install.cancel', () => ({}));
    const job = aMoveJob({ steps: stepsOf('move', 'copy', { status: 'running' }) });
    open(job, '+move', 'b');
    expect(await screen.findByText('root@berlin.example:22 → root@play.example.org:22')).toBeTruthy();
    const rows = within(await screen.findByRole('list', { name: 'Steps' })).getAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('strong')?.textContent)).toEqual([
      ...['Check the old server', 'Connect to the new server', 'Check the new server'],
      ...['Prepare the package', 'Upload the package', 'Install the package'],
      ...['Copy the data while the old master serves', 'Stop the old master and copy the rest'],
      ...['Configure the new master', 'Start the new master', 'Connect to the new master'],
    ]);
    expect(screen.getByRole('progressbar', { name: 'Progress of the move' })).toBeTruthy();
    expect(screen.getByText(/^If you cancel, or if a step fails, the old master serves again/)).toBeTruthy();
    await click('Cancel move');
    expect(theBridge().askedFor('install.cancel')).toEqual([{ id: 'job-1' }]);
    theBridge().push('install', { ...job, status: 'cancelled' });
    expect(await dialog('The move of Berlin to play.example.org was cancelled')).toBeTruthy();
    expect(screen.getByText('The old master serves')).toBeTruthy();
    expect(await button('Continue move')).toBeTruthy();
  });

  it.each([
    ['root@berlin.example:22', 'Is this the old server berlin.example?', 'the old server'],
    ['root@play.example.org:22', 'Is this the new server play.example.org?', 'the new server'],
  ])(
    'asks for confirmation of the host key of %s, and names this server',
    async (hostKeyOf, title, server) => {
      open(aMoveJob({ status: 'asking', question: 'trust', hostKey: SERVER_KEY, hostKeyOf }), '+move', 'b');
      expect(await dialog(title)).toBeTruthy();
      expect(screen.getByLabelText(`Host key that ${server} shows: ${SERVER_KEY}`)).toBeTruthy();
      expect(screen.getByText(new RegExp(`^Run this on ${server}, in a terminal`))).toBeTruthy();
    },
  );

  it.each(['failed', 'done'] as const)(
    'shows the problems of both servers if the status of the move is "%s"',
    async (status) => {
      const problems = [
        { severity: 'error' as const, text: 'It runs services itself.' },
        { severity: 'warning' as const, text: 'The new master does not observe node-1 yet.' },
      ];
      open(
        aMoveJob({ status, problems, steps: stepsOf('move', 'leave', { status: 'failed' }) }),
        '+move',
        'b',
      );
      expect((await screen.findByText('Problem:')).parentElement?.textContent).toContain('It runs services');
      expect(screen.getByText('Warning:').parentElement?.textContent).toContain('does not observe node-1');
    },
  );

  it('shows after a failure that the old master is running again', async () => {
    const error = { code: 'MOVE_RETURNED', details: {}, message: 'The new master did not serve.' } as never;
    const steps = stepsOf('move', 'start', { status: 'failed' });
    open(aMoveJob({ status: 'failed', error, steps }), '+move', 'b');
    expect(await dialog('The move of Berlin to play.example.org failed')).toBeTruthy();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The old master serves again');
    expect(alert.textContent).toContain('The new master did not serve.');
  });

  it('lists the remaining tasks for the user, and opens the dashboard', async () => {
    const done = aMoveJob({ status: 'done', steps: stepsOf('move', null) });
    open(done, '+move', 'b');
    expect(await dialog('Berlin runs on play.example.org')).toBeTruthy();
    const rest = within(screen.getByRole('region', { name: 'What remains to do' }));
    expect(rest.getByText(/^If players join through HAProxy.*play\.example\.org/)).toBeTruthy();
    expect(rest.getByText(/remove the master and its data on berlin\.example/)).toBeTruthy();
    expect(rest.getByText('apt-get remove overworld-master')).toBeTruthy();
    theBridge().answer('connections.use', () => ({}));
    await click('Open dashboard');
    await waitFor(() => expect(theBridge().askedFor('connections.use')).toEqual([{ id: 'b' }]));
  });
});

describe('the logins for a failed move', () => {
  const failedAt = (hostKeyOf: string) =>
    aMoveJob({
      ...{ status: 'failed', hostKeyOf },
      error: toWire(new OverworldError('SERVER_CONNECTION_LOST', { address: hostKeyOf })),
      steps: stepsOf('move', 'connect', { status: 'failed' }),
    });
  const old = { host: 'berlin.example', port: 22, login: { kind: 'agent' } };
  const play = { host: 'play.example.org', port: 22, login: { kind: 'agent' } };
  beforeEach(() => theBridge().answer('install.resume', () => ({})));

  it.each([
    ['root@berlin.example:22', 'berlin.example', { from: { ...old, user: 'anna' } }],
    ['root@play.example.org:22', 'play.example.org', { login: { ...play, user: 'anna' } }],
  ])(
    'show the login of the failed server (%s) first, and keep the other login',
    async (hostKeyOf, host, want) => {
      open(failedAt(hostKeyOf), '+move', 'b');
      await click('Edit logins…');
      expect(await dialog('Edit the logins')).toBeTruthy();
      await waitFor(async () => expect((await field('Host')).value).toBe(host));
      await type('User', 'anna');
      await click('Try again');
      await waitFor(() => expect(theBridge().askedFor('install.resume')).toEqual([{ id: 'job-1', ...want }]));
    },
  );

  it('can both be changed', async () => {
    open(failedAt('root@play.example.org:22'), '+move', 'b');
    await click('Edit logins…');
    await type('User', 'anna');
    await choose('Old');
    await type('User', 'tom');
    await click('Try again');
    await waitFor(() =>
      expect(theBridge().askedFor('install.resume')).toEqual([
        { id: 'job-1', login: { ...play, user: 'anna' }, from: { ...old, user: 'tom' } },
      ]),
    );
  });
});
