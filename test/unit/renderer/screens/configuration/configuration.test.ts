import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ConfigurationScreen from '#renderer/screens/configuration/ConfigurationScreen.svelte';
import { masterDraft } from '#renderer/stores/documents/drafts.svelte.ts';
import { masterConfig } from '#renderer/stores/documents/master-config.svelte.ts';
import { providerTest } from '#renderer/stores/provider-test.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AdminSession } from '#shared/model/admin-session.ts';
import { isInGroup, type SecurityEntry, type SecurityReport } from '#shared/model/security-entry.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import type { AuthorizedKey, Role } from '#shared/model/role.ts';
import type { Result } from '#shared/rpc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { AT, aProject } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

type Document = Result<'config.get'>;

const standard = masterConfigSchema.parse({ provider: { api_token: '••••' } });
const aDocument = (of: Partial<Document> = {}): Document => ({
  config: standard,
  configRevision: 'r1',
  problems: [],
  running: standard.communication,
  onDisk: null,
  ...of,
});
const aKey = (name: string, role: Role): AuthorizedKey => ({
  name,
  role,
  templates: null,
  fingerprint: `SHA256:${name}`,
  addedAt: AT,
});

const aSession = (id: string, key: string, of: Partial<AdminSession> = {}): AdminSession => ({
  id,
  key,
  fingerprint: `SHA256:${key}`,
  role: 'owner',
  address: '198.51.100.7',
  client: 'OpenSSH_9.2p1',
  channels: { api: 0, sftp: 1 },
  since: AT,
  own: false,
  ...of,
});

const anEntry = (seq: number, of: Partial<SecurityEntry> = {}): SecurityEntry => ({
  kind: 'login.accepted',
  actor: 'anna',
  message: `Login ${seq}`,
  cause: 'a key',
  address: '203.0.113.9',
  seq,
  at: AT,
  previous: '0'.repeat(64),
  hash: 'a'.repeat(64),
  ...of,
});

const sessionsUnsupported = new OverworldError('UNSUPPORTED_BY_MASTER', {
  address: '203.0.113.7:2022',
  what: 'the list of sessions',
  master: '0.2.0',
  app: '0.3.0',
  update: 'master',
});

let stops: (() => void)[] = [];
let bridge: FakeBridge;
let document_: Document;
let keys: AuthorizedKey[];
let sessions: AdminSession[];
/** Newest first. */
let entries: SecurityEntry[];
let report: SecurityReport;

interface Setup {
  readonly at?: readonly string[];
  readonly document?: Document;
  readonly role?: Role;
  /** Whether the master has the list of sessions. */
  readonly hasSessions?: boolean;
  /** What the API token reaches. Null if it does not pass its test. */
  readonly project?: ProviderProject | null;
  /** Result of a verification of the security log. Default: 302 entries whose chain is intact. */
  readonly report?: Partial<SecurityReport>;
}

/** Opens the screen with a configuration of the master. The app is connected with anna's key. */
function open(of: Setup = {}): void {
  document_ = of.document ?? aDocument();
  keys = [aKey('anna', 'owner'), aKey('ben', 'viewer')];
  sessions = [
    aSession('aaaaaaaa', 'anna', { own: true, channels: { api: 1, sftp: 2 } }),
    aSession('bbbbbbbb', 'ben', { address: '203.0.113.9' }),
  ];
  entries = [
    ...Array.from({ length: 300 }, (_, i) => anEntry(302 - i)),
    anEntry(2, { kind: 'key.added', actor: 'local', message: 'Key ben was authorized as viewer' }),
    anEntry(1, { kind: 'master.started', actor: 'overworld', message: 'The master started' }),
  ];
  report = {
    entries: 302,
    first: { seq: 1, at: AT },
    last: { seq: 302, at: AT, hash: 'a'.repeat(64) },
    breaks: [],
    breakCount: 0,
    ...of.report,
  };
  bridge = bridgeOver({})
    .answerCall('config.get', () => document_)
    .answerCall('config.update', ({ config }) => {
      document_ = aDocument({ config: config as MasterConfig, configRevision: 'r2' });
      return document_;
    })
    .answerCall('provider.test', () => {
      if (of.project === null)
        throw new OverworldError('PROVIDER_TOKEN_READ_ONLY', { why: 'the token is read-only' });
      return of.project ?? aProject();
    })
    .answerCall('provider.preview', () => ({
      orders: [
        {
          node: 'node-1',
          type: 'cpx22',
          location: 'nbg1',
          perHour: 0.032,
          perMonth: 19.99,
          cause: 'no room',
        },
      ],
      noOrder: null,
      existing: { nodes: 0, perHour: 0 },
    }))
    .answerCall('keys.list', () => keys)
    .answerCall('keys.add', ({ name, role, templates = null }) => {
      const key = { ...aKey(name, role), templates };
      keys = [...keys, key];
      return key;
    })
    .answerCall('keys.limit', ({ key, templates }) => {
      const found = keys.find(({ fingerprint }) => fingerprint === key);
      if (found === undefined) throw new OverworldError('KEY_NOT_FOUND', { key });
      const limited = { ...found, templates };
      keys = keys.map((other) => (other === found ? limited : other));
      return limited;
    })
    .answerCall('keys.remove', ({ key }) => {
      const found = keys.find(({ fingerprint }) => fingerprint === key);
      if (found === undefined) throw new OverworldError('KEY_NOT_FOUND', { key });
      keys = keys.filter((other) => other !== found);
      return found;
    })
    .answerCall('sessions.list', () => {
      if (of.hasSessions === false) throw sessionsUnsupported;
      return sessions;
    })
    .answerCall('sessions.end', ({ session }) => {
      const found = sessions.find(({ id }) => id === session);
      if (found === undefined) throw new OverworldError('SESSION_NOT_FOUND', { session });
      sessions = sessions.filter((other) => other !== found);
      return found;
    })
    .answerCall('security.list', ({ group, from = Infinity, limit }) => {
      const found = entries.filter(
        ({ kind, seq }) => seq < from && (group === undefined || isInGroup(kind, group)),
      );
      const page = found.slice(0, limit);
      return { entries: page, next: found.length > limit ? (page.at(-1)?.seq ?? null) : null };
    })
    .answerCall('security.verify', () => report)
    .answer('security.export', () => ({ saved: true, entries: entries.length }))
    .answerCall('master.info', () => ({
      version: '0.1.0',
      apiVersion: 2,
      cluster: 'c-1',
      hostname: 'desk',
      platform: 'linux x64',
      java: '17.0.12',
      startedAt: AT,
      hostKey: 'SHA256:host',
      you: { name: 'anna', role: of.role ?? 'owner', readsFiles: true, templates: null },
    }));
  stops.push(connectStores(bridge));
  route.go('configuration', ...(of.at ?? []));
  render(ConfigurationScreen);
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});

afterEach(() => {
  // A screen that is still open would test the token again.
  cleanup();
  for (const stop of stops.reverse()) stop();
  masterDraft.forget();
  providerTest.forget();
  masterConfig.value = null;
});

const save = async () => fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
const saved = () => (bridge.askedFor('config.update')[0] as { config: MasterConfig }).config;

describe('the configuration screen', () => {
  it('shows every section, and the values in use beside the saved ones', async () => {
    open({ document: aDocument({ running: { hostname: '127.0.0.1', port: 1999 } }) });
    for (const title of ['Communication', 'Provider', 'Firewall', 'Load balancer', 'Players']) {
      expect(await screen.findByRole('region', { name: title })).toBeTruthy();
    }
    expect(
      screen.getByText('Running with 1999. 1510 applies when the master restarts. 3 plugins linked.'),
    ).toBeTruthy();
    expect(screen.getByText('Running with 127.0.0.1.')).toBeTruthy();
  });

  it('never shows the stored token, which can be replaced or kept', async () => {
    open();
    const token = await screen.findByLabelText<HTMLInputElement>('API token');
    expect([token.value, token.readOnly]).toEqual(['••••', true]);
    await fireEvent.click(screen.getByRole('button', { name: 'Replace' }));
    const fresh = await screen.findByLabelText<HTMLInputElement>('API token');
    await waitFor(() => expect(document.activeElement).toBe(fresh));
    expect(fresh.type).toBe('password');
    await fireEvent.click(screen.getByRole('button', { name: 'Keep current value' }));
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
    await fireEvent.click(screen.getByRole('button', { name: 'Replace' }));
    await fireEvent.input(await screen.findByLabelText('API token'), { target: { value: 'new-token' } });
    await fireEvent.click(await screen.findByRole('button', { name: 'Review' }));
    expect(screen.getByRole('dialog').textContent).not.toContain('new-token');
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(bridge.askedFor('config.update')).toHaveLength(1));
    expect(saved().provider.api_token).toBe('new-token');
  });

  it('accepts a first token if none is set', async () => {
    open({ document: aDocument({ config: masterConfigSchema.parse({}) }) });
    const token = await screen.findByLabelText<HTMLInputElement>('API token');
    await waitFor(() => expect(token.value).toBe(''));
    expect([token.placeholder, token.type]).toEqual(['Not set', 'password']);
    await fireEvent.input(token, { target: { value: 'first' } });
    await screen.findByRole('region', { name: 'Unsaved changes' });
    await fireEvent.input(token, { target: { value: '' } });
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull());
    await fireEvent.input(token, { target: { value: 'first-token' } });
    await fireEvent.click(await screen.findByRole('button', { name: 'Review' }));
    const review = screen.getByRole('dialog');
    expect(review.textContent).toContain('not set');
    expect(review.textContent).not.toContain('first-token');
    await fireEvent.click(within(review).getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(bridge.askedFor('config.update')).toHaveLength(1));
    expect(saved().provider.api_token).toBe('first-token');
  });

  it('keeps the focus on the token field when the configuration is saved with Ctrl+S', async () => {
    open({ document: aDocument({ config: masterConfigSchema.parse({}) }) });
    // As with the real master, the response does not contain the stored token.
    bridge.answerCall('config.update', () => (document_ = aDocument({ configRevision: 'r2' })));
    const token = await screen.findByLabelText<HTMLInputElement>('API token');
    await waitFor(() => expect(token.value).toBe(''));
    token.focus();
    await fireEvent.input(token, { target: { value: 'first-token' } });
    await screen.findByRole('region', { name: 'Unsaved changes' });
    await fireEvent.keyDown(token, { key: 's', ctrlKey: true });
    const replace = await screen.findByRole('button', { name: 'Replace' });
    await waitFor(() => expect(document.activeElement).toBe(replace));
  });

  it('asks for confirmation before configure mode is switched off, but not before it is switched on', async () => {
    open();
    const toggle = await screen.findByRole('switch', { name: 'Configure mode' });
    await fireEvent.click(toggle);
    const dialog = await screen.findByRole('dialog', { name: 'Switch configure mode off?' });
    expect(dialog.textContent).toContain('costs money');
    expect(toggle.getAttribute('aria-checked')).toBe('true');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Switch configure mode off' }));
    await waitFor(() => expect(toggle.getAttribute('aria-checked')).toBe('false'));
    await fireEvent.click(toggle);
    expect(toggle.getAttribute('aria-checked')).toBe('true');
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
  });

  it('edits firewall rules in a table, and shows mistakes in a rule', async () => {
    open();
    const add = await screen.findByRole('button', { name: 'Add rule' });
    for (const [rule, port] of [
      [1, '25565'],
      [2, '25565'],
    ] as const) {
      await fireEvent.click(add);
      const input = await screen.findByRole('textbox', { name: `Port of rule ${rule}` });
      await waitFor(() => expect(document.activeElement).toBe(input));
      await fireEvent.input(input, { target: { value: port } });
      await fireEvent.blur(input);
    }
    expect(await screen.findByText('Is the same as rule 1')).toBeTruthy();
    const sources = screen.getByRole('textbox', { name: 'Source addresses of rule 2' });
    await fireEvent.input(sources, { target: { value: '203.0.113.7' } });
    await fireEvent.keyDown(sources, { key: 'Enter' });
    expect(await screen.findByText('203.0.113.7: Write 203.0.113.7/32 for this one address')).toBeTruthy();
    await fireEvent.keyDown(sources, { key: 'Backspace' });
    await fireEvent.input(sources, { target: { value: '203.0.113.7/32' } });
    await fireEvent.keyDown(sources, { key: 'Enter' });
    await save();
    await waitFor(() => expect(bridge.askedFor('config.update')).toHaveLength(1));
    expect(saved().firewall_rules).toEqual([
      { port: '25565', protocol: 'tcp' },
      { port: '25565', protocol: 'tcp', source_ips: ['203.0.113.7/32'] },
    ]);
  });

  it("focuses the field that the screen's address names", async () => {
    open({ at: ['provider.location'], project: null });
    const field = await screen.findByRole('textbox', { name: 'Location' });
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(route.address).toBe('configuration');
  });

  it('is read-only for everyone but owners, and explains why', async () => {
    open({ role: 'operator', project: null });
    expect(await screen.findByText('Your key has the role operator; this needs owner.')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Location' }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add rule' }).disabled).toBe(true);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Replace' }).disabled).toBe(true);
  });

  it('compares a faulty file with the values in use, which can replace the file', async () => {
    const problem = {
      field: 'provider.location',
      problem: 'must be a text',
      value: '5',
      allowed: 'a location code such as nbg1',
      default: '"nbg1"',
      line: 3,
    };
    const onDisk = { max_online_players: 55, provider: { location: 5, api_tokn: '••••' } };
    open({ document: aDocument({ problems: [problem], onDisk }) });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('provider.location (line 3) must be a text: found 5');
    const row = within(alert).getByRole('row', { name: /max_online_players/ });
    expect(
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['100 players', '55 players', '100 players']);
    await fireEvent.click(within(alert).getByRole('button', { name: 'Replace it with the values in use' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Replace file' }));
    await waitFor(() =>
      expect(bridge.askedFor('config.update')).toEqual([{ config: standard, basedOn: 'r1' }]),
    );
  });
});

describe('screen of authorized keys', () => {
  it("marks the user's own key, and does not remove the last owner's key", async () => {
    open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Authorized keys' });
    const anna = await within(table).findByRole('row', { name: /anna/ });
    expect(anna.textContent).toContain('you');
    await fireEvent.click(anna, { ctrlKey: true });
    await fireEvent.keyDown(table, { key: 'Delete' });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('removes a key after confirmation', async () => {
    open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Authorized keys' });
    await fireEvent.click(await within(table).findByRole('row', { name: /ben/ }), { ctrlKey: true });
    await fireEvent.keyDown(table, { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Remove key ben' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Remove key' }));
    await waitFor(() => expect(bridge.askedFor('keys.remove')).toEqual([{ key: 'SHA256:ben' }]));
    await waitFor(() => expect(within(table).queryByRole('row', { name: /ben/ })).toBeNull());
  });

  it('adds a pasted key with the name in its comment, and rejects a private key', async () => {
    open({ at: ['access'] });
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
      expect(bridge.askedFor('keys.add')).toEqual([
        { name: 'carla@home', role: 'operator', publicKey: 'ssh-ed25519 AAAAC3Nza carla@home' },
      ]),
    );
  });

  it('adds a key for some templates, and shows them', async () => {
    open({ at: ['access'] });
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
      expect(bridge.askedFor('keys.add')).toEqual([
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

  it('changes the templates of a key, but not those of a viewer', async () => {
    open({ at: ['access'] });
    keys = [...keys, { ...aKey('carla', 'operator'), templates: ['lobby'] }];
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
      expect(bridge.askedFor('keys.limit')).toEqual([{ key: 'SHA256:carla', templates: null }]),
    );
  });

  it('is visible to owners only', async () => {
    open({ at: ['access'], role: 'viewer' });
    expect(await screen.findByText('Only an owner sees who has access')).toBeTruthy();
  });
});

describe('list of sessions', () => {
  it('shows key, address and use, and ends a session after confirmation', async () => {
    open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Open sessions' });
    const ben = await within(table).findByRole('row', { name: /ben/ });
    expect(ben.textContent).toContain('203.0.113.9');
    expect(ben.textContent).toContain('SFTP');
    await fireEvent.click(within(ben).getByRole('button', { name: 'End' }));
    const dialog = await screen.findByRole('dialog', { name: 'End session of ben' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'End session' }));
    await waitFor(() => expect(bridge.askedFor('sessions.end')).toEqual([{ session: 'bbbbbbbb' }]));
    await waitFor(() => expect(within(table).queryByRole('row', { name: /ben/ })).toBeNull());
  });

  it('marks the session of this window, which cannot be ended here', async () => {
    open({ at: ['access'] });
    const table = await screen.findByRole('grid', { name: 'Open sessions' });
    const anna = await within(table).findByRole('row', { name: /anna/ });
    expect(anna.textContent).toContain('this app');
    expect(anna.textContent).toContain('App, SFTP');
    expect(within(anna).getByRole<HTMLButtonElement>('button', { name: 'End' }).disabled).toBe(true);
  });

  it('is shown to viewers, too', async () => {
    open({ at: ['access'], role: 'viewer' });
    expect(await screen.findByRole('grid', { name: 'Open sessions' })).toBeTruthy();
    expect(await screen.findByText('Open sessions of your key.')).toBeTruthy();
  });

  it('is absent with a master of the previous version', async () => {
    open({ at: ['access'], hasSessions: false });
    await screen.findByRole('grid', { name: 'Authorized keys' });
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Sessions' })).toBeNull());
  });
});

describe('the security log', () => {
  const table = () => screen.findByRole('grid', { name: 'Security log, newest first' });

  it('shows entries newest first, page by page, and up to where the chain is verified', async () => {
    open({ at: ['security-log'] });
    const rows = within(await table()).getAllByRole('row');
    expect(rows[1]?.textContent).toContain('Login 302');
    expect(await screen.findByText('Chain verified up to entry 302')).toBeTruthy();
    expect((await table()).getAttribute('aria-rowcount')).toBe('201');
    await fireEvent.click(screen.getByRole('button', { name: 'Load older entries' }));
    await waitFor(async () => expect((await table()).getAttribute('aria-rowcount')).toBe('303'));
    expect(screen.queryByRole('button', { name: 'Load older entries' })).toBeNull();
  });

  it('shows only entries of a kind', async () => {
    open({ at: ['security-log'] });
    await table();
    const select = screen.getByLabelText('Kind of entry');
    await fireEvent.change(select, { target: { value: 'keys' } });
    const row = await within(await table()).findByRole('row', { name: /Key ben was authorized/ });
    expect(row.textContent).toContain('local');
    expect(within(await table()).queryByText('The master started')).toBeNull();
  });

  it('says where the chain is broken, and what that means', async () => {
    const why = 'Entry 7 was changed: its hash does not match.';
    open({
      at: ['security-log'],
      report: { breaks: [{ file: 'f.jsonl', line: 7, seq: 7, why }], breakCount: 3 },
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Chain broken at entry 7');
    expect(alert.textContent).toContain(`${why} It is line 7 of f.jsonl. 2 further places broken, too.`);
  });

  it('is exported', async () => {
    open({ at: ['security-log'] });
    await table();
    await fireEvent.click(screen.getByRole('button', { name: 'Export…' }));
    await waitFor(() => expect(bridge.askedFor('security.export')).toEqual([{}]));
  });

  it('is shown to owners only', async () => {
    open({ at: ['security-log'], role: 'operator' });
    expect(await screen.findByText('Only an owner sees the security log')).toBeTruthy();
    expect(screen.queryByRole('grid')).toBeNull();
  });
});
