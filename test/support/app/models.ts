import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type {
  Connection,
  Link,
  Preferences,
  RemoteEntry,
  RequestResult,
  Transfer,
} from '#shared/ipc/contract.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { Costs, History, HistoryRange } from '#shared/model/history.ts';
import { API_VERSION, type Result } from '#shared/rpc/contract.ts';
import type { Node, Rental } from '#shared/model/node.ts';
import type { Player, Plugin } from '#shared/model/player.ts';
import type { ProviderProject, ProviderType } from '#shared/model/provider.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Save, Volume } from '#shared/model/volume.ts';
import type { BalancerView, PlayerEntry } from '#shared/model/player-entry.ts';
import { VERSION } from '#shared/version.ts';

/** A fixed time for tests that show times (ms since epoch). */
export const AT = Date.UTC(2026, 2, 1, 18, 0, 0);

/** Returns a template with the schema's defaults and a jar, without problems. */
export function aTemplate(
  id: string,
  config: Partial<TemplateConfig> = {},
  rest: Partial<Omit<Template, 'id' | 'config'>> = {},
): Template {
  return {
    id,
    config: { ...templateConfigSchema.parse({}), name: id, ...config },
    configRevision: 'r1',
    problems: [],
    files: {
      revision: '9f2c61aa0b3d4e55',
      files: 214,
      bytes: 96_400_000,
      jar: { bytes: 48_200_000, modifiedAt: AT - 3_600_000, software: 'Paper 1.21.4' },
      needsJava: 21,
      bringsJava: false,
      problem: null,
    },
    software: null,
    held: false,
    unmet: null,
    leaving: null,
    ...rest,
  };
}

/** Returns a save of 3 files that a stopped server wrote. */
export function aSave(n: number, rest: Partial<Save> = {}): Save {
  return {
    save: String(n).padStart(16, '0'),
    at: AT,
    files: 3,
    bytes: 3_145_728,
    consistent: true,
    cause: 'every 10 min',
    node: 'node-1',
    current: false,
    ...rest,
  };
}

/** Returns a volume that no service uses. Its newest save contains all data. */
export function aVolume(id: string, rest: Partial<Volume> = {}): Volume {
  const lastSave = rest.lastSave === undefined ? aSave(1, { current: true }) : rest.lastSave;
  return {
    id,
    bytes: lastSave?.bytes ?? 0,
    files: lastSave?.files ?? 0,
    saves: lastSave === null ? 0 : 1,
    storedBytes: lastSave?.bytes ?? 0,
    lastSave,
    attached: null,
    saving: false,
    nextSaveAt: null,
    problem: null,
    warning: null,
    ...rest,
  };
}

/** Returns a running service of a template, without players. */
export function aService(template: string, n: number, rest: Partial<Service> = {}): Service {
  return {
    id: `${template}-${n}`,
    template,
    state: 'RUNNING',
    since: AT - 600_000,
    requestedAt: AT - 660_000,
    cause: 'minimum of 1 running service',
    stopping: null,
    retiring: null,
    draining: null,
    outdated: [],
    waiting: null,
    held: false,
    failure: null,
    node: 'local',
    address: { host: '127.0.0.1', port: 25_600 + n },
    players: { online: 0, max: 50 },
    ramMb: 1399,
    revision: '9f2c61aa0b3d4e55',
    unusedSince: AT - 600_000,
    unresponsive: false,
    pid: 4000 + n,
    plugin: null,
    ...rest,
  };
}

/** Returns a player who is in the lobby and joined through the first proxy. The UUID is derived from `n`. */
export function aPlayer(name: string, n: number, rest: Partial<Player> = {}): Player {
  return {
    uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    name,
    server: 'lobby-1',
    since: AT - n * 60_000,
    proxy: 'proxy-1',
    ...rest,
  };
}

/** Returns the state of Overworld's plugin in a BungeeCord proxy, linked to the master for five minutes. */
export function aPlugin(rest: Partial<Plugin> = {}): Plugin {
  return {
    state: 'linked',
    platform: 'bungeecord',
    software: 'BungeeCord 1.21',
    version: '0.1.0',
    since: AT - 300_000,
    ...rest,
  };
}

/** Returns the state of a working HAProxy with one open proxy. */
export function aBalancer(rest: Partial<BalancerView> = {}): BalancerView {
  return {
    state: 'working',
    configPath: '/etc/haproxy/haproxy.cfg',
    addresses: [{ host: '198.51.100.7', port: 25_565 }],
    entries: [{ service: 'proxy-1', state: 'open', connections: 37 }],
    error: null,
    ...rest,
  };
}

/** Returns a player entry through HAProxy, with a working plugin link. */
export function aPlayerEntry(rest: Partial<PlayerEntry> = {}): PlayerEntry {
  const balancer = rest.balancer ?? aBalancer();
  return {
    balancer,
    join: balancer.addresses.map((address) => ({ ...address, via: 'balancer' as const })),
    problems: [],
    link: { listening: { host: '127.0.0.1', port: 1510 }, error: null, plugins: 3 },
    ...rest,
  };
}

/** Returns a node that is not a cloud node and accepts services. */
export function aNode(id: string, rest: Partial<Node> = {}): Node {
  return {
    id,
    kind: rest.rental === undefined || rest.rental === null ? 'local' : 'hetzner',
    state: 'READY',
    since: null,
    note: null,
    location: null,
    address: '10.0.0.4',
    ram: { totalMb: 16_384, allocatedMb: 5600 },
    services: 4,
    held: false,
    locked: false,
    leaving: false,
    rental: null,
    keep: null,
    backoff: null,
    ...rest,
  };
}

/** Returns the rental of a small cloud node that is paid until the end of its second hour. */
export function aRental(rest: Partial<Rental> = {}): Rental {
  return { type: 'cpx32', since: AT, hourlyPrice: 0.0312, paidUntil: AT + 7_200_000, ...rest };
}

/** Returns a file of 1 KB, or an empty folder if `kind` is `folder`. */
export function anEntry(path: string, rest: Partial<RemoteEntry> = {}): RemoteEntry {
  const folder = rest.kind === 'folder';
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    kind: 'file',
    bytes: folder ? 0 : 1024,
    modifiedAt: AT - 86_400_000,
    mode: folder ? 0o755 : 0o644,
    ...rest,
  };
}

/** Returns an upload that is half complete. */
export function aTransfer(id: string, rest: Partial<Transfer> = {}): Transfer {
  const ended = !['queued', 'running', 'cancelling'].includes(rest.state ?? 'running');
  return {
    id,
    direction: 'upload',
    move: false,
    step: 'copying',
    name: 'server.jar',
    remotePath: '/templates/lobby/server.jar',
    localPath: '/home/anna/server.jar',
    state: 'running',
    files: { done: 0, total: 1 },
    bytes: { done: 24_100_000, total: 48_200_000 },
    bytesPerSecond: 3_100_000,
    remainingMs: 7_774,
    skipped: 0,
    connection: 'embedded',
    startedAt: AT,
    endedAt: ended ? AT + 8_000 : null,
    error: null,
    ...rest,
  };
}

/** Returns the default preferences. */
export function aPreferences(rest: Partial<Preferences> = {}): Preferences {
  return {
    theme: 'system',
    density: 'comfortable',
    notifications: { failures: true, nodes: true, playerLimit: true },
    closeToTray: false,
    onQuit: 'ask',
    parallelTransfers: 3,
    ...rest,
  };
}

/** Returns the status of a connected link to the embedded master. */
export function aLink(rest: Partial<Link> = {}): Link {
  return {
    connection: 'embedded',
    kind: 'embedded',
    name: 'This computer',
    address: '127.0.0.1:2022',
    status: 'connected',
    error: null,
    retryAt: null,
    hostKey: 'SHA256:qJ3f9cTbW1',
    generation: 1,
    run: 'c-1 1772388000000',
    master: { version: VERSION, apiVersion: API_VERSION },
    clockOffsetMs: 0,
    ...rest,
  };
}

/** Returns the connection to the embedded master, which is the connection in use. */
export function aConnection(rest: Partial<Connection> = {}): Connection {
  return {
    id: 'embedded',
    kind: 'embedded',
    name: 'This computer',
    host: null,
    port: null,
    hostKey: 'SHA256:qJ3f9cTbW1',
    lastConnectedAt: AT,
    active: true,
    ...rest,
  };
}

/** Returns the app's information about itself, such as its version. */
export function anAppInfo(): RequestResult<'app.info'> {
  return {
    ...{ version: '0.1.0', electron: '45.4.1', chromium: '130', node: '20.18.1', platform: 'linux 6 x64' },
    ...{ unsandboxed: false, dataFolder: '/home/anna/.config/Overworld' },
    publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKabcdef overworld-app',
  };
}

/** Returns the costs of a network without cloud nodes. */
export function aCosts(rest: Partial<Costs> = {}): Costs {
  return { perHour: 0, month: 0, monthSince: AT, rentedNodes: 0, canRent: false, ...rest };
}

/** Returns the master configuration with the schema's defaults, as the admin API returns it. */
export function aMasterDocument(rest: Partial<Result<'config.get'>> = {}): Result<'config.get'> {
  const config = masterConfigSchema.parse({});
  return {
    config,
    configRevision: 'm1',
    problems: [],
    running: config.communication,
    onDisk: null,
    ...rest,
  };
}

const historySteps: Record<HistoryRange, { readonly stepMs: number; readonly count: number }> = {
  '1h': { stepMs: 60_000, count: 61 },
  '24h': { stepMs: 300_000, count: 289 },
  '7d': { stepMs: 3_600_000, count: 169 },
};

/**
 * Returns the history of a calm evening with one node of 16 GB, on which players join and leave. Data is missing in
 * the first tenth and in the middle.
 */
export function aHistory(range: HistoryRange, rest: Partial<History> = {}): History {
  const { stepMs, count } = historySteps[range];
  const seen = (i: number): boolean => i > count / 10 && (i < count * 0.5 || i > count * 0.55);
  const values = (of: (share: number) => number): (number | null)[] =>
    Array.from({ length: count }, (_, i) => (seen(i) ? of(i / count) : null));
  return {
    range,
    stepMs,
    at: Array.from({ length: count }, (_, i) => AT - (count - 1 - i) * stepMs),
    players: values((share) => Math.round(20 + 15 * Math.sin(share * 9))),
    playersPeak: values((share) => Math.round(22 + 15 * Math.sin(share * 9))),
    playerLimit: values(() => 100),
    servicesUp: values((share) => Math.round(4 + 2 * Math.sin(share * 9))),
    services: values((share) => Math.round(5 + 2 * Math.sin(share * 9))),
    ramAllocatedMb: values((share) => Math.round(8000 + 3000 * Math.sin(share * 9))),
    ramTotalMb: values(() => 16_384),
    costPerHour: values(() => 0),
    ...rest,
  };
}

/** Returns an event: a person has changed the template lobby. */
export function anEvent(rest: Partial<ActivityEvent> = {}): ActivityEvent {
  return {
    ...{ seq: 1, at: AT, kind: 'template.changed', subject: { type: 'template', id: 'lobby' } },
    ...{ template: 'lobby', actor: 'anna', message: 'Template lobby was changed', cause: 'maxPlayers 1 → 2' },
    ...rest,
  };
}

/** Returns a server type that is in stock in nbg1 and sold out in fsn1. */
export function aServerType(name: string, memoryGb: number, of: Partial<ProviderType> = {}): ProviderType {
  const perHour = memoryGb / 125;
  const price = { perHour, perMonth: perHour * 624 };
  return {
    ...{ name, memoryGb, cores: memoryGb / 2, architecture: 'x86' },
    serviceRamMb: Math.floor(memoryGb * 983 - 256),
    offers: [
      { location: 'nbg1', stock: 'available', ...price },
      { location: 'fsn1', stock: 'sold-out', ...price },
    ],
    ...of,
  };
}

/** Returns a project with two locations, two server types of one family, and one SSH key. */
export function aProject(of: Partial<ProviderProject> = {}): ProviderProject {
  return {
    readAt: AT,
    requests: { left: 3590, perHour: 3600 },
    servers: { ours: 0, otherNetworks: 0, others: 0 },
    locations: [
      { name: 'nbg1', city: 'Nuremberg', country: 'DE', zone: 'eu-central' },
      { name: 'fsn1', city: 'Falkenstein', country: 'DE', zone: 'eu-central' },
    ],
    types: [aServerType('cpx22', 4), aServerType('cpx32', 8)],
    sshKeys: [{ name: 'anna', fingerprint: 'b7:2f:30' }],
    ...of,
  };
}
