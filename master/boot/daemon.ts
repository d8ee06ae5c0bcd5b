import type { LoopContext } from '#master/control/loop/loop-context.ts';
import { join } from 'node:path';
import type { TemplateId } from '#shared/model/template.ts';
import { removeInside } from '#master/templates/pinned-folder.ts';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { VERSION } from '#shared/version.ts';
import type { MasterFacts } from '#master/admin/handlers/master.ts';
import { fileViews } from '#master/admin/file-views/file-views.ts';
import { readBackupState } from '#master/backup/state.ts';
import { watchBackups } from '#master/backup/watch-backups.ts';
import { secretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { openKeyStore, type KeyStore } from '#master/admin/keys.ts';
import { watchKeys } from '#master/admin/keys-watch.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { AccessEvents } from '#master/admin/access-events.ts';
import { loadPrivateKey, type PrivateKey } from '#master/admin/private-key-file.ts';
import type { RpcOptions } from '#master/admin/rpc/serve-rpc.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import { Staging } from '#master/files/tasks/fetch/staging.ts';
import { openForwardingSecret } from '#master/ingress/forwarding-secret.ts';
import { SessionRegistry } from '#master/admin/sessions.ts';
import { directBackend } from '#master/admin/ssh/direct-backend.ts';
import type { SshServer } from '#master/admin/ssh/ssh-server.ts';
import { watchConfig } from '#master/control/feed/config-watch.ts';
import { FileEvents } from '#master/control/feed/file-events.ts';
import { Recorder } from '#master/control/history/recorder.ts';
import { splitByObservation } from '#master/state/nodes/node-observation.ts';
import { watchLimit } from '#master/control/feed/limit-watch.ts';
import { Loop } from '#master/control/loop/loop.ts';
import { ServiceCommands } from '#master/control/services/service-commands.ts';
import { OVERWORLD } from '#master/state/feed/emit-event.ts';
import { whyLocalIsUnsafe } from '#master/nodes/local/local-refusal.ts';
import { openMasterDocument } from '#master/store/config-store.ts';
import { watchLink } from '#master/ingress/link-watch.ts';
import { Shutdown, CloseStack } from './shutdown.ts';
import { acknowledgeRecorded } from './acknowledge.ts';
import { allHandlers, type ControlSide } from './handlers.ts';
import type { MasterOptions } from './options.ts';
import { openParts, type OpenedParts } from './open-parts.ts';
import { placeSsh } from './place-ssh.ts';
import { lazyProjects } from './provider.ts';
import { openSoftwareLibrary } from './software.ts';
import { openDataFolder, type DataFolder } from '#master/store/data-folder.ts';
import type { EventLog } from '#master/store/event-log.ts';
import { removeHalfWritten } from '#master/store/half-written.ts';
import type { SecurityLog } from '#master/store/security-log/security-log.ts';
import { CreationNote, undoUnfinishedCreation } from '#master/store/creation-note.ts';
import { acquireLease } from '#master/store/lease.ts';

export interface RunningMaster {
  readonly host: string;
  readonly port: number;
  /** Fingerprint of the host key, `SHA256:…`. */
  readonly hostKey: string;
  /** Shuts the master down; services keep running. May be called more than once. */
  close(): Promise<void>;
  /**
   * Resolves when the master has shut down, because {@link RunningMaster.close} was called or an owner has requested
   * it.
   */
  readonly ended: Promise<void>;
}

/**
 * Starts the master daemon: opens its parts (`open-parts.ts`), and then starts the control loop and the servers for
 * the admin API. If one of these steps fails, closes everything again.
 *
 * @throws OverworldError MASTER_ALREADY_RUNNING, DATA_FOLDER_UNSAFE, LOCAL_SERVICES_UNSAFE, LOCAL_PORTS_UNSAFE,
 *   DATA_FAULTY, KEY_INVALID, LISTEN_FAILED
 */
export async function startMaster(options: MasterOptions): Promise<RunningMaster> {
  const opened = new CloseStack();
  try {
    return await start(options, opened);
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

async function start(options: MasterOptions, opened: CloseStack): Promise<RunningMaster> {
  const { log } = options;
  const folder = await takeDataFolder(options, opened);
  await refuseUnsafeServices(options, folder);
  const hostKey = await loadPrivateKey(join(folder.config, 'host_key'));
  const keys = await openKeyStore(join(folder.config, 'keys.json'), Date.now);
  const { parts, nodes, cluster, security, disks } = await openParts(options, folder, opened);
  if (options.ownerKey !== undefined) await ensureOwner(options.ownerKey, keys, security);
  opened.add(
    watchKeys({
      path: join(folder.config, 'keys.json'),
      keys,
      events: parts.events,
      topics: parts.topics,
      onError: (error) => log.error({ err: error }, 'the authorized keys on disk could not be read'),
    }),
  );
  opened.add(
    watchBackups({
      dataFolder: folder.root,
      events: parts.events,
      now: Date.now,
      changed: () => parts.topics.publish('backup'),
      onError: (error) => log.error({ err: error }, 'the state of the backups could not be read'),
    }),
  );
  const control = await startControl({ parts, nodes }, folder, opened);
  const ending = new Shutdown(async (why) => {
    emitMasterEvent(parts.events, 'master.stopped', why);
    await opened.closeAll();
  });
  const facts: Omit<MasterFacts, 'isSshReady'> = {
    version: VERSION,
    cluster,
    startedAt: Date.now(),
    hostKey: hostKey.fingerprint,
    javaVersion: () => nodes.own.javaVersion(),
    readiness: () => ({ hasSynced: control.loop.published.hasSynced, ...splitByObservation(parts) }),
    refusesToken: whyLocalIsUnsafe({ ...localFacts(options), hasToken: true }) !== null,
    viewersRead: () => parts.config.master.config.access.viewers_read_files,
    shutDown: (services, actor) => {
      const why = `requested by ${actor}`;
      const emptied =
        services === 'stop' ? control.loop.empty(`the master shuts down, ${why}`) : Promise.resolve();
      // The shutdown closes the connection that carries the response, so it begins only after the response was sent.
      setImmediate(() => {
        emptied
          .then(() => ending.begin(why))
          .catch((error: unknown) => log.error({ err: error }, 'the master did not shut down cleanly'));
      });
    },
  };
  const { host, port } = await serveAdmins(
    { options, folder, parts, disks, control, hostKey, keys, facts, security },
    opened,
  );
  log.info({ host, port, hostKey: hostKey.fingerprint, data: folder.root }, 'ready');
  return {
    host,
    port,
    hostKey: hostKey.fingerprint,
    close: () => ending.begin('shutdown requested'),
    ended: ending.ended,
  };
}

/**
 * Throws LOCAL_SERVICES_UNSAFE if services on this machine would have more rights than a service may have, and the
 * options do not permit this.
 */
async function refuseUnsafeServices(options: MasterOptions, folder: DataFolder): Promise<void> {
  // If the file is faulty or missing, the master uses the last valid values, and thus their token.
  const { state } = await openMasterDocument(folder.root);
  const hasToken = state.config.provider.api_token !== NO_API_TOKEN;
  const why = whyLocalIsUnsafe({ ...localFacts(options), hasToken });
  if (why !== null) throw new OverworldError('LOCAL_SERVICES_UNSAFE', { why });
}

function localFacts({ local = true, localUnsafe = true }: MasterOptions) {
  return { isLocal: local, isAllowed: localUnsafe, isRoot: process.getuid?.() === 0 };
}

/** Opens the data folder, and acquires the lease that makes this process its only master. */
async function takeDataFolder(
  { data, sshService, log }: Pick<MasterOptions, 'data' | 'sshService' | 'log'>,
  opened: CloseStack,
): Promise<DataFolder> {
  const folder = await openDataFolder(data, { hasSshService: sshService !== undefined });
  const lease = await acquireLease(folder.root);
  opened.add(() => lease.release());
  for (const path of await removeHalfWritten(folder.state)) {
    log.info({ path }, 'removed files that a killed master had not finished writing');
  }
  const removeFolder = (id: TemplateId): Promise<void> => removeInside(folder.templates, id);
  for (const template of await undoUnfinishedCreation(folder, removeFolder)) {
    log.info({ template }, 'removed a template that a killed master had not finished creating');
  }
  return folder;
}

/**
 * Starts the control loop, the watchers that request rounds of the loop, and the parts that use the results of
 * rounds.
 */
async function startControl(
  { parts, nodes }: Pick<OpenedParts, 'parts' | 'nodes'>,
  { state }: Pick<DataFolder, 'state'>,
  opened: CloseStack,
): Promise<ControlSide> {
  const loop = new Loop(parts);
  const orders = new ServiceCommands(parts, loop);
  opened.add(
    watchLink(parts, {
      hurry: () => loop.hurry(),
      stop: (service, by) => orders.stop(service, false, by),
    }),
  );
  opened.add(watchConfig(parts, () => loop.poke()));
  opened.add(nodes.onNodeChange(() => loop.poke()));
  opened.add(() => loop.close());
  emitMasterEvent(parts.events, 'master.started', `version ${VERSION}`);
  opened.add(watchLimit(parts));
  await loop.start();
  const recorder = await Recorder.open(parts, state);
  opened.add(() => recorder.close());
  recorder.start();
  return { loop, orders, recorder };
}

interface AdminOptions {
  readonly options: Pick<
    MasterOptions,
    'sshHost' | 'sshPort' | 'sshService' | 'log' | 'softwareMirror' | 'contact' | 'providerUrl'
  >;
  readonly folder: DataFolder;
  readonly parts: LoopContext;
  readonly disks: DiskReserves;
  readonly control: ControlSide;
  readonly hostKey: PrivateKey;
  readonly keys: KeyStore;
  readonly facts: Omit<MasterFacts, 'isSshReady'>;
  readonly security: SecurityLog;
}

/**
 * Serves the admin API: to this machine through a socket, and to other machines through SSH, which also serves files.
 */
async function serveAdmins(
  { options, folder, parts, disks, control, hostKey, keys, facts, security }: AdminOptions,
  opened: CloseStack,
): Promise<SshServer> {
  const library = await openSoftwareLibrary(folder, disks, {
    mirror: options.softwareMirror,
    contact: options.contact,
  });
  const fileEvents = new FileEvents(parts.events);
  opened.add(() => fileEvents.flush());
  const places = {
    staging: await Staging.open(join(folder.root, 'arriving'), disks),
    secret: secretFilter(await openForwardingSecret(folder.config)),
  };
  const { config } = parts;
  const placed = await placeSsh({ options, folder, disks, config, hostKey, staging: places.staging });
  opened.add(config.onChange(() => void placed.applySettings()));
  const sessions = new SessionRegistry(() => parts.topics.publish('sessions'));
  const access = new AccessEvents(security);
  opened.add(() => access.flush());
  const rpc: RpcOptions = {
    handlers: acknowledgeRecorded(
      allHandlers(parts, control, {
        keys,
        sessions,
        places,
        security,
        facts: { ...facts, isSshReady: () => placed.isReady },
        jobs: placed.jobs,
        creationNote: new CreationNote(folder.state),
        library,
        projects: lazyProjects({
          baseUrl: options.providerUrl,
          log: options.log,
          cluster: facts.cluster,
          now: Date.now,
        }),
        templatesFolder: folder.templates,
        backupState: () => readBackupState(folder.root, Date.now()),
      }),
      async () => {
        await security.flushed();
        await placed.applySettings();
      },
    ),
    log: options.log,
    onForbidden: (caller, method) => access.forbidden(caller, method),
    onConnect: (caller) =>
      caller.onClose(parts.topics.subscribe((stale) => caller.notify('stale', { topics: [...stale] }))),
  };
  const socket = await serveLocalSocket(folder.root, rpc);
  opened.add(() => socket.close());
  const backend = directBackend({
    ...rpc,
    keys,
    sessions,
    access,
    views: fileViews({ context: parts, volumes: parts.volumes, secret: places.secret }),
    viewersRead: facts.viewersRead,
    onFileEvent: (event) => fileEvents.add(event),
  });
  opened.add(() => backend.close());
  const ssh = await placed.start(backend);
  opened.add(() => ssh.close());
  return ssh;
}

/**
 * Makes the key of the person who starts the master an owner. If the key was not an owner before, writes an entry to
 * the security log.
 */
async function ensureOwner(publicKey: string, keys: KeyStore, security: SecurityLog): Promise<void> {
  const before = keys.list();
  const { name, fingerprint } = await keys.ensureOwner(publicKey);
  if (before.some((key) => key.fingerprint === fingerprint && key.role === 'owner')) return;
  const message = `Key ${name} was authorized as owner`;
  security.add({ kind: 'key.added', actor: 'local', message, cause: `run --owner-key, ${fingerprint}` });
}

function emitMasterEvent(events: EventLog, kind: 'master.started' | 'master.stopped', cause: string): void {
  const message = kind === 'master.started' ? 'The master started' : 'The master stopped';
  const subject = { type: 'master', id: 'master' } as const;
  events.add({ kind, subject, template: null, actor: OVERWORLD, message, cause });
}
