import { cleanup, render } from '@testing-library/svelte';
import { afterEach, beforeEach } from 'vitest';
import ConfigurationScreen from '#renderer/screens/configuration/ConfigurationScreen.svelte';
import { masterDraft } from '#renderer/stores/documents/drafts.svelte.ts';
import { masterConfig } from '#renderer/stores/documents/master-config.svelte.ts';
import { providerTest } from '#renderer/stores/provider-test.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AdminSession } from '#shared/model/access/admin-session.ts';
import { isInGroup, type SecurityEntry, type SecurityReport } from '#shared/model/access/security-entry.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import type { AuthorizedKey, Role } from '#shared/model/access/role.ts';
import type { Result } from '#shared/rpc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { AT, aProject } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

type Document = Result<'config.get'>;

/** The default configuration. */
export const standard = masterConfigSchema.parse({ provider: { api_token: '••••' } });
export const aDocument = (of: Partial<Document> = {}): Document => ({
  config: standard,
  configRevision: 'r1',
  problems: [],
  running: standard.communication,
  onDisk: null,
  ...of,
});
export const aKey = (name: string, role: Role): AuthorizedKey => ({
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

/** Returns an entry of the security log about an accepted login. */
export const anEntry = (seq: number, of: Partial<SecurityEntry> = {}): SecurityEntry => ({
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

/** State of the simulated master, which tests can change. `bridge` contains the requests that the master received. */
interface World {
  readonly bridge: FakeBridge;
  document: Document;
  keys: AuthorizedKey[];
  sessions: AdminSession[];
}

let stops: (() => void)[] = [];

interface Setup {
  readonly at?: readonly string[];
  readonly document?: Document;
  readonly role?: Role;
  /** Whether the master supports the list of sessions. Default: true. */
  readonly hasSessions?: boolean;
  /** Project that the API token gives access to. Null if the token does not pass its test. */
  readonly project?: ProviderProject | null;
  /** Result of a verification of the security log. Default: 302 entries whose chain is intact. */
  readonly report?: Partial<SecurityReport>;
}

/** Opens the screen with a configuration of the master. The app is connected with anna's key. */
export function open(of: Setup = {}): World {
  const keys = [aKey('anna', 'owner'), aKey('ben', 'viewer')];
  const sessions = [
    aSession('aaaaaaaa', 'anna', { own: true, channels: { api: 1, sftp: 2 } }),
    aSession('bbbbbbbb', 'ben', { address: '203.0.113.9' }),
  ];
  /** Entries of the security log, newest first. */
  const entries = [
    ...Array.from({ length: 300 }, (_, i) => anEntry(302 - i)),
    anEntry(2, { kind: 'key.added', actor: 'local', message: 'Key ben was authorized as viewer' }),
    anEntry(1, { kind: 'master.started', actor: 'overworld', message: 'The master started' }),
  ];
  const report: SecurityReport = {
    entries: 302,
    first: { seq: 1, at: AT },
    last: { seq: 302, at: AT, hash: 'a'.repeat(64) },
    breaks: [],
    breakCount: 0,
    ...of.report,
  };
  const world: World = { bridge: bridgeOver({}), document: of.document ?? aDocument(), keys, sessions };
  world.bridge
    .answerCall('config.get', () => world.document)
    .answerCall('config.update', ({ config }) => {
      world.document = aDocument({ config: config as MasterConfig, configRevision: 'r2' });
      return world.document;
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
    .answerCall('keys.list', () => world.keys)
    .answerCall('keys.add', ({ name, role, templates = null }) => {
      const key = { ...aKey(name, role), templates };
      world.keys = [...world.keys, key];
      return key;
    })
    .answerCall('keys.limit', ({ key, templates }) => {
      const found = world.keys.find(({ fingerprint }) => fingerprint === key);
      if (found === undefined) throw new OverworldError('KEY_NOT_FOUND', { key });
      const limited = { ...found, templates };
      world.keys = world.keys.map((other) => (other === found ? limited : other));
      return limited;
    })
    .answerCall('keys.remove', ({ key }) => {
      const found = world.keys.find(({ fingerprint }) => fingerprint === key);
      if (found === undefined) throw new OverworldError('KEY_NOT_FOUND', { key });
      world.keys = world.keys.filter((other) => other !== found);
      return found;
    })
    .answerCall('sessions.list', () => {
      if (of.hasSessions === false) throw sessionsUnsupported;
      return world.sessions;
    })
    .answerCall('sessions.end', ({ session }) => {
      const found = world.sessions.find(({ id }) => id === session);
      if (found === undefined) throw new OverworldError('SESSION_NOT_FOUND', { session });
      world.sessions = world.sessions.filter((other) => other !== found);
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
  stops.push(connectStores(world.bridge));
  route.go('configuration', ...(of.at ?? []));
  render(ConfigurationScreen);
  return world;
}

/** Prepares each test of the file, and closes the screen after it. */
export function useConfigurationScreen(): void {
  beforeEach(() => {
    stops = [pretendLayout({ width: 1200, height: 800 })];
  });

  afterEach(() => {
    // Close the screen first, because an open screen would test the token again.
    cleanup();
    for (const stop of stops.reverse()) stop();
    masterDraft.forget();
    providerTest.forget();
    masterConfig.value = null;
  });
}
