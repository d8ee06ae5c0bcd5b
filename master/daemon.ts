import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { VERSION } from '#shared/version.ts';
import { loadHostKey } from './admin/host-key.ts';
import { activityHandlers } from './admin/handlers/activity.ts';
import { configHandlers } from './admin/handlers/config.ts';
import { keysHandlers, type KeyChange } from './admin/handlers/keys.ts';
import { masterHandlers } from './admin/handlers/master.ts';
import { nodesHandlers } from './admin/handlers/nodes.ts';
import { servicesHandlers } from './admin/handlers/services.ts';
import { templatesHandlers } from './admin/handlers/templates.ts';
import { openKeyStore } from './admin/keys.ts';
import { serveLocalSocket } from './admin/local-socket.ts';
import type { RpcOptions } from './admin/rpc/serve-rpc.ts';
import { startSshServer } from './admin/ssh/ssh-server.ts';
import { watchConfig } from './control/config-watch.ts';
import { FileEvents } from './control/file-events.ts';
import { Loop } from './control/loop.ts';
import { Orders } from './control/orders.ts';
import type { Limits, Parts } from './control/parts.ts';
import { Pinger, type Ping } from './control/pinger.ts';
import { ServiceRecords } from './control/records.ts';
import { Setbacks } from './control/setbacks.ts';
import { OVERWORLD } from './control/tell.ts';
import { Topics } from './control/topics.ts';
import { DEFAULT_BACKOFF } from './core/backoff.ts';
import { openLocalProvider } from './nodes/local/local-provider.ts';
import { createProcessRuntime } from './runtime/process/process-runtime.ts';
import { statusPing } from './runtime/status-ping.ts';
import { ConfigStore } from './store/config-store.ts';
import { openDataFolder } from './store/data-folder.ts';
import { EventLog } from './store/event-log.ts';
import { openJsonFile } from './store/json-file.ts';
import { acquireLease } from './store/lease.ts';
import { openTemplateFolders } from './templates/template-folders.ts';

export interface MasterOptions {
  /** Data folder; made when there is none. */
  readonly data: string;
  readonly sshHost: string;
  /** 0: any free one. */
  readonly sshPort: number;
  /** One public key line that is made an owner if it is not authorized yet. */
  readonly ownerKey?: string | undefined;
  /** Ports for services on this machine. */
  readonly ports?: { readonly from: number; readonly to: number } | undefined;
  /** RAM for services on this machine, MB. */
  readonly ramMb?: number | undefined;
  readonly log: Logger;
  /** Replaces some of {@link DEFAULT_LIMITS}. */
  readonly limits?: Partial<Limits>;
}

/** Measured on small servers; a modded one may take minutes to start and long to save its worlds. */
export const DEFAULT_LIMITS: Limits = {
  roundMs: 1_000,
  startTimeoutMs: 300_000,
  unresponsiveAfterMs: 15_000,
  stopGraceMs: 30_000,
  backoff: DEFAULT_BACKOFF,
};

/** Minecraft's own port and what follows; well below the ports that systems hand out at random. */
const DEFAULT_PORTS = { from: 25_565, to: 25_999 };

/** A server that does not answer within this time is silent, ms. */
const PING_TIMEOUT_MS = 2_000;

export interface RunningMaster {
  readonly host: string;
  readonly port: number;
  /** The host key's fingerprint, `SHA256:…`. */
  readonly hostKey: string;
  /** Ends the master; services live on. Ending twice is fine. */
  close(): Promise<void>;
  /** Resolves when the master has ended, by {@link RunningMaster.close} or because an owner asked for it. */
  readonly ended: Promise<void>;
}

/**
 * Builds the daemon from its parts and starts it: the only place that sees all rooms.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING, DATA_FOLDER_UNSAFE, DATA_FAULTY, KEY_INVALID, LISTEN_FAILED; then
 *   nothing is left running
 */
export async function startMaster(options: MasterOptions): Promise<RunningMaster> {
  const opened: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    return await build(options, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function build(
  options: MasterOptions,
  opened: (() => Promise<unknown> | unknown)[],
  closeAll: () => Promise<void>,
): Promise<RunningMaster> {
  const { log } = options;
  const now = (): number => Date.now();
  const startedAt = now();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const folder = await openDataFolder(options.data);
  const lease = await acquireLease(folder.root);
  opened.push(() => lease.release());

  const cluster = await clusterId(folder.config);
  const hostKey = await loadHostKey(join(folder.config, 'host_key'));
  const keys = await openKeyStore(join(folder.config, 'keys.json'), now);
  if (options.ownerKey !== undefined) await keys.ensureOwner(options.ownerKey);
  const events = await EventLog.open(join(folder.state, 'activity.jsonl'), now);
  opened.push(() => events.close());
  const config = await ConfigStore.open(folder.root, (error) =>
    log.error({ err: error }, 'the configuration on disk could not be looked at'),
  );
  opened.push(() => config.close());
  const templates = await openTemplateFolders({ root: folder.templates, revisions: folder.revisions });
  opened.push(() => templates.close());
  for (const id of config.templates.keys()) await templates.create(id);

  const runtime = createProcessRuntime({
    cluster,
    folder: folder.services,
    logs: folder.logs,
    sharedFiles: folder.files,
    templates,
    ports: options.ports ?? DEFAULT_PORTS,
    host: '0.0.0.0',
  });
  opened.push(() => runtime.close());
  const provider = await openLocalProvider({
    ramMb: options.ramMb,
    hasJava: async () => (await runtime.javaVersion()) !== null,
  });
  const topics = new Topics();
  opened.push(events.onAdd(() => topics.publish('activity')));

  const parts: Parts = {
    now,
    log,
    limits,
    config,
    templates,
    provider,
    runtimeOf: () => runtime,
    records: await ServiceRecords.open(join(folder.state, 'services.json')),
    setbacks: new Setbacks(limits.backoff),
    events,
    pinger: new Pinger(pingServer, now),
    topics,
  };
  const loop = new Loop(parts);
  const orders = new Orders(parts, loop);
  opened.push(watchConfig(parts, () => loop.poke()));
  opened.push(runtime.onExit(() => loop.poke()));
  opened.push(() => loop.close());
  tellMaster(events, 'master.started', {
    message: `The master started (version ${VERSION})`,
    cause: 'process start',
  });
  await loop.start();

  let announceEnd: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    announceEnd = resolve;
  });
  const close = async (why: string): Promise<void> => {
    if (opened.length > 0)
      tellMaster(events, 'master.stopped', { message: 'The master stopped', cause: why });
    await closeAll();
    announceEnd();
  };
  const fileEvents = new FileEvents(events);
  opened.push(() => fileEvents.flush());
  const tellKey = ({ kind, key, actor }: KeyChange): void => {
    const verb = kind === 'key.added' ? `authorized as ${key.role}` : 'removed';
    const subject = { type: 'key', id: key.name } as const;
    const cause = `asked for by ${actor}`;
    events.add({ kind, subject, template: null, actor, message: `Key ${key.name} was ${verb}`, cause });
    topics.publish('keys');
  };
  const shutDown = (services: 'stop' | 'keep', actor: string): void => {
    const why = `asked for by ${actor}`;
    const emptied = services === 'stop' ? loop.empty(`the master shuts down, ${why}`) : Promise.resolve();
    // After the answer has left: closing ends the connection that it travels on.
    setImmediate(() => {
      emptied
        .then(() => close(why))
        .catch((error: unknown) => log.error({ err: error }, 'the master did not end cleanly'));
    });
  };
  const rpc: RpcOptions = {
    handlers: {
      ...masterHandlers({
        version: VERSION,
        cluster,
        startedAt,
        javaVersion: () => runtime.javaVersion(),
        shutDown,
      }),
      ...configHandlers(parts),
      ...templatesHandlers(parts, orders),
      ...servicesHandlers({ parts, board: loop.board, orders }),
      ...nodesHandlers(parts),
      ...activityHandlers(events),
      ...keysHandlers(keys, tellKey),
    },
    log,
    onConnect: (caller) => {
      caller.onClose(topics.subscribe((stale) => caller.notify('stale', { topics: [...stale] })));
    },
  };
  const socket = await serveLocalSocket(folder.root, rpc);
  opened.push(() => socket.close());
  const ssh = await startSshServer({
    ...rpc,
    host: options.sshHost,
    port: options.sshPort,
    hostKey,
    keys,
    fileArea: { templates: folder.templates, files: folder.files },
    onFileEvent: (event) => fileEvents.add(event),
  });
  opened.push(() => ssh.close());
  log.info({ host: ssh.host, port: ssh.port, hostKey: hostKey.fingerprint, data: folder.root }, 'ready');
  return {
    host: ssh.host,
    port: ssh.port,
    hostKey: hostKey.fingerprint,
    close: () => close('asked to end'),
    ended,
  };
}

/** Marks all that belongs to this master. Kept beside the configuration, so that an empty state folder loses nothing. */
async function clusterId(configFolder: string): Promise<string> {
  const path = join(configFolder, 'cluster.json');
  const schema = z.object({ id: z.string().min(8) });
  const file = await openJsonFile(path, schema.nullable(), null);
  if (file.data === null) await file.update(() => ({ id: randomUUID() }));
  return schema.parse(file.data).id;
}

const pingServer: Ping = async ({ host, port }) => {
  const result = await statusPing({ host, port, timeoutMs: PING_TIMEOUT_MS });
  return result.kind === 'answer' ? { players: result.players } : null;
};

function tellMaster(
  events: EventLog,
  kind: 'master.started' | 'master.stopped',
  { message, cause }: { readonly message: string; readonly cause: string },
): void {
  const subject = { type: 'master', id: 'master' } as const;
  events.add({ kind, subject, template: null, actor: OVERWORLD, message, cause });
}
