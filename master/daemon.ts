import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { VERSION } from '#shared/version.ts';
import { loadPrivateKey } from './admin/private-key-file.ts';
import { openKeyStore } from './admin/keys.ts';
import { serveLocalSocket } from './admin/local-socket.ts';
import type { RpcOptions } from './admin/rpc/serve-rpc.ts';
import { openFileArea } from './admin/sftp/file-area.ts';
import { startSshServer } from './admin/ssh/ssh-server.ts';
import { Adoptions } from './control/adoptions.ts';
import { watchConfig } from './control/config-watch.ts';
import { Evictions } from './control/evictions.ts';
import { FileEvents } from './control/file-events.ts';
import { Recorder } from './control/history/recorder.ts';
import { Holds } from './control/holds.ts';
import { withLostNodes } from './control/node-silence.ts';
import { NodeTroubles } from './control/node-troubles.ts';
import { watchLimit } from './control/limit-watch.ts';
import { Loop } from './control/loop.ts';
import { Orders } from './control/orders.ts';
import type { Limits, Parts } from './control/parts.ts';
import { Pinger, type Ping } from './control/pinger.ts';
import { ServiceRecords } from './control/records.ts';
import { Setbacks } from './control/setbacks.ts';
import { OVERWORLD } from './control/tell.ts';
import { watchLink } from './control/way-in/link-watch.ts';
import { Topics } from './control/topics.ts';
import type { MasterFacts } from './admin/handlers/master.ts';
import { DEFAULT_BACKOFF } from './core/backoff.ts';
import { allHandlers } from './handlers.ts';
import { LOCAL_NODE, openLocalProvider } from './nodes/local/local-provider.ts';
import { severalProviders } from './nodes/several.ts';
import { openRented } from './rented.ts';
import { LogStore } from './runtime/log/log-store.ts';
import { createProcessRuntime, type ProcessRuntime } from './runtime/process/process-runtime.ts';
import type { Runtime } from './runtime/runtime.ts';
import { statusPing } from './runtime/status-ping.ts';
import { ConfigStore } from './store/config-store.ts';
import { openDataFolder, type DataFolder } from './store/data-folder.ts';
import { EventLog } from './store/event-log.ts';
import { openJsonFile } from './store/json-file.ts';
import { removeHalfWritten } from './store/half-written.ts';
import { acquireLease } from './store/lease.ts';
import { openTemplateFolders } from './templates/template-folders.ts';
import { openWayIn, portsOfBalancer } from './way-in.ts';

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
  /** False: services run on rented nodes alone; true when left out. */
  readonly local?: boolean | undefined;
  /** Where the provider's API is asked; by default its own address. */
  readonly providerUrl?: string | undefined;
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
  const opened = new Opened();
  try {
    return await build(options, opened);
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

/** What has been opened so far, to be closed in reverse. */
class Opened {
  #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }
}

async function build(options: MasterOptions, opened: Opened): Promise<RunningMaster> {
  const folder = await openDataFolder(options.data);
  const lease = await acquireLease(folder.root);
  opened.add(() => lease.release());
  for (const path of await removeHalfWritten(folder.state)) {
    options.log.info({ path }, 'removed what a killed master had not finished writing');
  }
  const hostKey = await loadPrivateKey(join(folder.config, 'host_key'));
  const keys = await openKeyStore(join(folder.config, 'keys.json'), Date.now);
  if (options.ownerKey !== undefined) await keys.ensureOwner(options.ownerKey);

  const { parts, runtime, cluster, onNews } = await openParts(options, folder, opened);
  const loop = new Loop(parts);
  onNews.add(() => loop.poke());
  const orders = new Orders(parts, loop);
  opened.add(watchLink(parts, { loop, orders }));
  opened.add(watchConfig(parts, () => loop.poke()));
  opened.add(runtime.onExit(() => loop.poke()));
  opened.add(() => loop.close());
  tellMaster(parts.events, 'master.started', `version ${VERSION}`);
  opened.add(watchLimit(parts));
  await loop.start();
  const recorder = await Recorder.open(parts, folder.state);
  opened.add(() => recorder.close());
  recorder.start();

  const ending = new Ending(async (why) => {
    tellMaster(parts.events, 'master.stopped', why);
    await opened.closeAll();
  });
  const fileEvents = new FileEvents(parts.events);
  opened.add(() => fileEvents.flush());
  const facts: MasterFacts = {
    version: VERSION,
    cluster,
    startedAt: Date.now(),
    hostKey: hostKey.fingerprint,
    javaVersion: () => runtime.javaVersion(),
    shutDown: (services, actor) => {
      const why = `asked for by ${actor}`;
      const emptied = services === 'stop' ? loop.empty(`the master shuts down, ${why}`) : Promise.resolve();
      // After the answer has left: closing ends the connection that it travels on.
      setImmediate(() => {
        emptied
          .then(() => ending.begin(why))
          .catch((error: unknown) => options.log.error({ err: error }, 'the master did not end cleanly'));
      });
    },
  };
  const fileArea = await openFileArea({ templates: folder.templates, files: folder.files });
  const rpc: RpcOptions = {
    handlers: allHandlers(parts, { loop, orders, recorder }, { keys, facts, fileArea }),
    log: options.log,
    onConnect: (caller) =>
      caller.onClose(parts.topics.subscribe((stale) => caller.notify('stale', { topics: [...stale] }))),
  };
  const socket = await serveLocalSocket(folder.root, rpc);
  opened.add(() => socket.close());
  const ssh = await startSshServer({
    ...rpc,
    host: options.sshHost,
    port: options.sshPort,
    hostKey,
    keys,
    fileArea,
    onFileEvent: (event) => fileEvents.add(event),
  });
  opened.add(() => ssh.close());
  const { host, port } = ssh;
  options.log.info({ host, port, hostKey: hostKey.fingerprint, data: folder.root }, 'ready');
  return {
    host,
    port,
    hostKey: hostKey.fingerprint,
    close: () => ending.begin('asked to end'),
    ended: ending.ended,
  };
}

/** Opens stores, templates and the local node: all that the loop works with. */
async function openParts(
  options: MasterOptions,
  folder: DataFolder,
  opened: Opened,
): Promise<{ parts: Parts; runtime: ProcessRuntime; cluster: string; onNews: Set<() => void> }> {
  const { log } = options;
  const now = (): number => Date.now();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const cluster = await clusterId(folder.config);
  const events = await EventLog.open(join(folder.state, 'activity.jsonl'), now);
  opened.add(() => events.close());
  const config = await ConfigStore.open(folder.root, (error) =>
    log.error({ err: error }, 'the configuration on disk could not be looked at'),
  );
  opened.add(() => config.close());
  const records = await ServiceRecords.open(join(folder.state, 'services.json'));
  const templates = await openTemplateFolders({
    root: folder.templates,
    revisions: folder.revisions,
    isUsed: (id, revision) => records.of(id).some(({ placed }) => placed?.revision === revision),
  });
  opened.add(() => templates.close());
  for (const id of config.templates.keys()) await templates.create(id);
  const logs = new LogStore(folder.logs);
  const runtime = createProcessRuntime({
    cluster,
    folder: folder.services,
    logs,
    sharedFiles: folder.files,
    templates,
    ports: options.ports ?? DEFAULT_PORTS,
    leaveFree: () => portsOfBalancer(config),
    host: '0.0.0.0',
  });
  opened.add(() => runtime.close());
  opened.add(() => logs.close());
  const local =
    (options.local ?? true)
      ? [await openLocalProvider({ ramMb: options.ramMb, hasJava: () => runtime.hasJava() })]
      : [];
  const onNews = new Set<() => void>();
  const rented = openRented({
    ...{ folder, cluster, config, templates, logs, events, log, providerUrl: options.providerUrl },
    whereIs: (service, from) => adoptions.whereIs(service, from),
    onNews: () => {
      for (const listener of onNews) listener();
    },
  });
  opened.add(() => rented.close());
  const pinger = new Pinger(pingServer, now);
  const troubles = new NodeTroubles();
  const provider = troubles.shownBy(
    withLostNodes(severalProviders([...local, rented.provider]), {
      answers: (node) =>
        records.all.some(({ id, node: on }) => on === node && (pinger.state(id)?.answer ?? null) !== null),
    }),
  );
  const adoptions = new Adoptions({ records, provider, ownNode: LOCAL_NODE });
  const runtimeOf = (node: string): Runtime => (node === LOCAL_NODE ? runtime : rented.runtimeOf(node));
  const topics = new Topics();
  const onState = (): void => topics.publish('way-in');
  const wayIn = await openWayIn({ folder, cluster, config, templates, log, now, onState });
  opened.add(() => wayIn.close());
  opened.add(events.onAdd(() => topics.publish('activity')));
  const parts: Parts = {
    now,
    log,
    limits,
    config,
    templates,
    provider,
    keeper: runtime,
    runtimeOf,
    records,
    adoptions,
    evictions: new Evictions({ runtimeOf, log }),
    troubles,
    holds: await Holds.open(join(folder.state, 'holds.json')),
    setbacks: new Setbacks(limits.backoff),
    events,
    pinger,
    topics,
    ...wayIn,
  };
  return { parts, runtime, cluster, onNews };
}

/** The end of a master: begun once, awaited by many. */
class Ending {
  readonly ended: Promise<void>;
  readonly #close: (why: string) => Promise<void>;
  #resolve: () => void = () => undefined;
  #begun: Promise<void> | null = null;

  constructor(close: (why: string) => Promise<void>) {
    this.#close = close;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  begin(why: string): Promise<void> {
    this.#begun ??= this.#close(why).finally(this.#resolve);
    return this.#begun;
  }
}

/** Marks all that belongs to this master. Kept beside the configuration, so that an empty state folder loses nothing. */
async function clusterId(configFolder: string): Promise<string> {
  const path = join(configFolder, 'cluster.json');
  const schema = z.object({ id: z.string().min(8) });
  const file = await openJsonFile(path, schema.nullable(), null);
  if (file.data === null) await file.update(() => ({ id: randomUUID() }));
  return schema.parse(file.data).id;
}

const pingServer: Ping = async ({ host, port, proxyProtocol }) => {
  const result = await statusPing({ host, port, timeoutMs: PING_TIMEOUT_MS, proxyHeader: proxyProtocol });
  return result.kind === 'answer' ? { players: result.players } : null;
};

function tellMaster(events: EventLog, kind: 'master.started' | 'master.stopped', cause: string): void {
  const message = kind === 'master.started' ? 'The master started' : 'The master stopped';
  const subject = { type: 'master', id: 'master' } as const;
  events.add({ kind, subject, template: null, actor: OVERWORLD, message, cause });
}
