import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ConnectionsScreen from '#renderer/screens/connections/ConnectionsScreen.svelte';
import SwitchDialog from '#renderer/screens/connections/SwitchDialog.svelte';
import TrustDialog from '#renderer/screens/connections/TrustDialog.svelte';
import { addKeyCommand, checkConnection, splitAddress } from '#renderer/screens/connections/words.ts';
import { connections } from '#renderer/stores/connection/connections.svelte.ts';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { trust } from '#renderer/stores/connection/trust.svelte.ts';
import { differingGroups, isSameFingerprint, toGroups } from '#renderer/view/format/fingerprint.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Connection } from '#shared/ipc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aConnection, aLink, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver } from '../support/window-world.ts';

const KEY = `SHA256:${'abcdef'.repeat(7)}X`;
const OTHER = `SHA256:${'abcdef'.repeat(6)}ABCDEFX`;
const THIRD = `SHA256:${'zyxwvu'.repeat(7)}X`;
const berlin = aConnection({
  ...{ id: 'b', kind: 'remote', name: 'Berlin', host: 'berlin.example', port: 2022, active: false },
});

let bridge: FakeBridge;
let stops: (() => void)[];

function open(list: readonly Connection[]): void {
  bridge.answer('connections.list', () => [...list]);
  stops.push(connectStores(bridge), connections.connect());
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 700 })];
  bridge = bridgeOver({ templates: [aTemplate('lobby')] });
  route.replace('connections');
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the Connections screen', () => {
  it('offers an update of a master that is too old for the app', async () => {
    const details = { address: 'berlin.example:2022', master: '0.1.0', app: '0.9.0', theirs: 3, ours: 5 };
    const error = toWire(new OverworldError('API_VERSION_MISMATCH', details));
    open([aConnection({ active: false }), { ...berlin, active: true }]);
    render(ConnectionsScreen);
    bridge.push('link', aLink({ connection: 'b', kind: 'remote', status: 'failed', error, master: null }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Update the master…' }));
    expect(route.parts).toEqual(['connections', '+update', 'b']);
  });

  it('checks a field when the user leaves the field, and splits a pasted host:port', async () => {
    open([aConnection(), berlin]);
    route.replace('connections', '+new');
    render(ConnectionsScreen);
    const dialog = await screen.findByRole('dialog', { name: 'Add master' });
    const name = within(dialog).getByLabelText('Name');
    await fireEvent.input(name, { target: { value: 'berlin' } });
    expect(within(dialog).queryByText(/Another connection/)).toBeNull();
    await fireEvent.blur(name);
    expect(await within(dialog).findByText('Another connection has this name.')).toBeTruthy();
    await fireEvent.input(within(dialog).getByLabelText('Host'), {
      target: { value: 'overworld@paris.example:2200' },
    });
    expect(within(dialog).getByLabelText<HTMLInputElement>('Host').value).toBe('paris.example');
    expect(within(dialog).getByLabelText<HTMLInputElement>('Port').value).toBe('2200');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Add only' }));
    expect(bridge.askedFor('connections.save')).toEqual([]);
  });

  it('shows the latency (ms) and the role of the key after a test of the connection', async () => {
    bridge.answer('connections.test', () => ({
      hostKey: KEY,
      trust: 'pinned' as const,
      ms: 42,
      master: { version: '0.1.0', hostname: 'b1', role: 'viewer' },
    }));
    open([aConnection(), berlin]);
    render(ConnectionsScreen);
    const row = await screen.findByRole('listitem', { name: 'Berlin' });
    await fireEvent.click(within(row).getByRole('button', { name: 'Actions for Berlin' }));
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Test connection' }));
    expect(await within(row).findByText('Reached in 42 ms')).toBeTruthy();
    expect(row.textContent).toContain('viewer there');
  });

  it('drops the result of a test whose address the user has changed in the meantime', async () => {
    let finish = (): void => undefined;
    bridge.answer(
      'connections.test',
      () =>
        new Promise((resolve) => {
          const master = { version: '0.1.0', hostname: 'b1', role: 'viewer' as const };
          finish = () => resolve({ hostKey: KEY, trust: 'pinned', ms: 42, master });
        }),
    );
    open([aConnection()]);
    route.replace('connections', '+new');
    render(ConnectionsScreen);
    const dialog = within(await screen.findByRole('dialog', { name: 'Add master' }));
    const type = (host: string) =>
      fireEvent.input(dialog.getByLabelText('Host'), { target: { value: host } });
    const test = () => fireEvent.click(dialog.getByRole('button', { name: 'Test connection' }));
    await type('berlin.example');
    await test();
    await waitFor(() => expect(bridge.askedFor('connections.test')).toHaveLength(1));
    await type('paris.example');
    finish();
    await waitFor(() => expect(dialog.queryByText('Connecting…')).toBeNull());
    expect(dialog.queryByText(/^Reached in/)).toBeNull();
    await test();
    await waitFor(() => expect(bridge.askedFor('connections.test')).toHaveLength(2));
    finish();
    expect(await dialog.findByText('Reached in 42 ms')).toBeTruthy();
  });
});

describe('the dialog about the host key of a master', () => {
  const failed = (error: OverworldError) =>
    aLink({ ...{ connection: 'b', kind: 'remote', name: 'Berlin', status: 'failed' }, error: toWire(error) });

  it('stores the host key after the user has trusted it', async () => {
    bridge.answer('connections.trust', () => ({ trusted: true }));
    open([aConnection({ active: false }), { ...berlin, active: true }]);
    bridge.push('link', failed(new OverworldError('HOST_KEY_UNKNOWN', { address: 'b:1', found: KEY })));
    render(TrustDialog);
    const dialog = await screen.findByRole('dialog', { name: 'Trust this master?' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Trust and connect' }));
    await waitFor(() => expect(bridge.askedFor('connections.trust')).toEqual([{ id: 'b', hostKey: KEY }]));
  });

  it('stays open if the user declines in the dialog of the operating system', async () => {
    bridge.answer('connections.trust', () => ({ trusted: false }));
    open([aConnection({ active: false }), { ...berlin, active: true }]);
    bridge.push('link', failed(new OverworldError('HOST_KEY_UNKNOWN', { address: 'b:1', found: THIRD })));
    render(TrustDialog);
    const dialog = await screen.findByRole('dialog', { name: 'Trust this master?' });
    const yes = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Trust and connect' });
    await fireEvent.click(yes);
    await waitFor(() => expect(bridge.askedFor('connections.trust')).toHaveLength(1));
    await waitFor(() => expect(yes.disabled).toBe(false));
    expect(dialog.isConnected).toBe(true);
  });

  it('requires the name of the connection as input before a changed host key is trusted', async () => {
    bridge.answer('connections.trust', () => ({ trusted: true }));
    open([aConnection({ active: false }), { ...berlin, active: true }]);
    const error = new OverworldError('HOST_KEY_CHANGED', { address: 'b:1', expected: KEY, found: OTHER });
    bridge.push('link', failed(error));
    render(TrustDialog);
    const dialog = await screen.findByRole('dialog', { name: 'The host key of Berlin has changed' });
    const sure = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Trust the new key' });
    expect(sure.disabled).toBe(true);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Do not connect' }));
    expect(trust.question).toBeNull();
    expect(trust.waiting).toBe(true);
    trust.reopen();
    const again = await screen.findByRole('dialog', { name: 'The host key of Berlin has changed' });
    await fireEvent.input(within(again).getByLabelText('Type Berlin to trust the new key'), {
      target: { value: 'Berlin' },
    });
    await fireEvent.click(within(again).getByRole('button', { name: 'Trust the new key' }));
    await waitFor(() =>
      expect(bridge.askedFor('connections.trust')).toEqual([
        { id: 'b', hostKey: OTHER, typedName: 'Berlin' },
      ]),
    );
  });
});

describe('the question about unsaved changes', () => {
  const asked = { name: 'Switch to Berlin and discard unsaved changes?' };
  const active = { ...berlin, active: true };

  beforeEach(() => {
    templateDrafts.open(aTemplate('lobby')).set('maxPlayers', '60');
    stops.push(() => templateDrafts.forget('lobby'));
    bridge
      .answer('connections.save', () => active)
      .answer('connections.trust', () => ({ trusted: true }))
      .answer('connections.use', () => ({}));
  });

  /** Answers the question, and waits until the dialog is closed. */
  async function answer(button: string): Promise<void> {
    const dialog = await screen.findByRole('dialog', asked);
    expect(dialog.textContent).toContain('Unsaved: template lobby.');
    await fireEvent.click(within(dialog).getByRole('button', { name: button }));
    await waitFor(() => expect(screen.queryByRole('dialog', asked)).toBeNull());
  }

  async function edit(list: readonly Connection[], change: { label: string; to: string }): Promise<void> {
    open(list);
    render(ConnectionsScreen);
    render(SwitchDialog);
    await fireEvent.click(await screen.findByRole('button', { name: 'Actions for Berlin' }));
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^Edit/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit Berlin' }));
    await fireEvent.input(dialog.getByLabelText(change.label), { target: { value: change.to } });
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  }

  it('is asked before a switch to another master', async () => {
    open([aConnection(), berlin]);
    render(ConnectionsScreen);
    render(SwitchDialog);
    const row = within(await screen.findByRole('listitem', { name: 'Berlin' }));
    const connect = await row.findByRole('button', { name: 'Switch to it' });
    await fireEvent.click(connect);
    await answer('Cancel');
    expect(bridge.askedFor('connections.use')).toEqual([]);
    await fireEvent.click(connect);
    await answer('Switch and discard');
    await waitFor(() => expect(bridge.askedFor('connections.use')).toEqual([{ id: 'b' }]));
  });

  it('is asked before the address of the connection in use is changed', async () => {
    await edit([aConnection({ active: false }), active], { label: 'Host', to: 'paris.example' });
    await answer('Cancel');
    expect(bridge.askedFor('connections.save')).toEqual([]);
    const dialog = within(screen.getByRole('dialog', { name: 'Edit Berlin' }));
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
    await answer('Switch and discard');
    await waitFor(() => expect(bridge.askedFor('connections.save')).toHaveLength(1));
  });

  it.each([
    ['the name of the connection in use', 'Name', [aConnection({ active: false }), active]],
    ['the address of another connection', 'Host', [aConnection(), berlin]],
  ])('is not asked before a change of %s', async (_what, label, list) => {
    await edit(list, { label, to: 'paris.example' });
    await waitFor(() => expect(bridge.askedFor('connections.save')).toHaveLength(1));
  });

  it('is asked before another host key of the connection in use is trusted', async () => {
    open([aConnection({ active: false }), { ...active, hostKey: KEY }]);
    const error = new OverworldError('HOST_KEY_CHANGED', { address: 'b:2', expected: KEY, found: OTHER });
    bridge.push(
      'link',
      aLink({
        ...{ connection: 'b', kind: 'remote', name: 'Berlin', status: 'failed' },
        error: toWire(error),
      }),
    );
    trust.reopen();
    render(TrustDialog);
    render(SwitchDialog);
    const dialog = within(await screen.findByRole('dialog', { name: 'The host key of Berlin has changed' }));
    await fireEvent.input(dialog.getByRole('textbox'), { target: { value: 'Berlin' } });
    await fireEvent.click(dialog.getByRole('button', { name: 'Trust the new key' }));
    await answer('Cancel');
    expect(bridge.askedFor('connections.trust')).toEqual([]);
    await fireEvent.click(dialog.getByRole('button', { name: 'Trust the new key' }));
    await answer('Switch and discard');
    await waitFor(() => expect(bridge.askedFor('connections.trust')).toHaveLength(1));
  });
});

describe('the form for a connection', () => {
  it.each([
    ['host:22', { host: 'host', port: '22' }],
    ['me@host:22', { host: 'host', port: '22' }],
    ['[2001:db8::1]:2022', { host: '2001:db8::1', port: '2022' }],
    ['2001:db8::1', null],
    ['host', null],
  ])('splits %s into host and port if it contains both', (typed, want) =>
    expect(splitAddress(typed)).toEqual(want),
  );

  it.each([
    [{ name: '', host: 'h', port: '1' }, ['name']],
    [{ name: 'A', host: 'a b', port: '1' }, ['host']],
    [{ name: 'A', host: 'h', port: '70000' }, ['port']],
    [{ name: 'A', host: 'h', port: '1.5' }, ['port']],
    [{ name: ' A ', host: ' h ', port: '2022' }, []],
  ])('reports the invalid fields of %o', (typed, want) => {
    const { draft, problems } = checkConnection(typed, ['B']);
    expect(Object.keys(problems)).toEqual(want);
    expect(draft === null).toBe(want.length > 0);
  });

  it('shows the command that authorizes this app, with a unique name for the key', () =>
    expect(addKeyCommand('ssh-ed25519 AAAAC3Nza/xyz+9 overworld-app\n')).toBe(
      'overworld-master keys add --role owner overworld-app-zaxyz9 "ssh-ed25519 AAAAC3Nza/xyz+9 overworld-app"',
    ));

  it('shows fingerprints in groups, marks different groups, and compares a pasted fingerprint', () => {
    expect(toGroups(KEY)).toHaveLength(8);
    expect([...differingGroups(KEY, OTHER)]).toEqual([6]);
    expect(isSameFingerprint(`Host key  ${KEY}\n`, KEY)).toBe(true);
    expect(isSameFingerprint(`256 ${KEY} host (ED25519)`, KEY)).toBe(true);
    expect(isSameFingerprint(OTHER, KEY)).toBe(false);
    expect(isSameFingerprint('nonsense', KEY)).toBe(false);
  });
});
