import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import pino from 'pino';
import ssh2 from 'ssh2';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { makeUsableKey } from '#shared/usable-key.ts';
import type { Role } from '#shared/model/access/role.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import type { Caller, Handlers } from '#master/admin/api.ts';
import { keysHandlers } from '#master/admin/handlers/keys.ts';
import { sessionsHandlers, type SessionEnd } from '#master/admin/handlers/sessions.ts';
import { loadPrivateKey, type PrivateKey } from '#master/admin/private-key-file.ts';
import { openKeyStore, type KeyStore } from '#master/admin/keys.ts';
import { SessionRegistry } from '#master/admin/sessions.ts';
import type { FileAreaFolders } from '#master/files/sftp/jail/file-area.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { FileEvent } from '#master/files/sftp/file-event.ts';
import { directBackend, type DirectBackendOptions } from '#master/admin/ssh/direct-backend.ts';
import type { SshServer, SshServerOptions } from '#master/admin/ssh/ssh-server.ts';
import { placeSsh } from './placed-ssh.ts';

/** Person with a key pair. The key is authorized under the person's name. */
export interface Person {
  readonly name: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

export function makePerson(name: string): Person {
  const pair = makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519', { comment: name }),
    ({ private: key }) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
  return { name, privateKey: pair.private, publicKey: pair.public };
}

/**
 * The part of a master that serves admins, on a new data folder and a real loopback port. The test supplies only
 * the handlers.
 */
export interface AdminMaster {
  readonly data: string;
  /** Folders that the master serves over SFTP. */
  readonly folders: FileAreaFolders;
  readonly server: SshServer;
  readonly keys: KeyStore;
  readonly hostKey: PrivateKey;
  readonly fileEvents: FileEvent[];
  readonly callers: Caller[];
  readonly sessionEnds: SessionEnd[];
  /** Reasons of refused logins, as the security log gets them. */
  readonly refusals: string[];
  /** Applies a new result of `viewersRead` to all sessions. */
  applySettings(): Promise<void>;
  /** Authorizes a new person. */
  authorize(role: Role, templates?: TemplateLimit): Promise<Person>;
  close(): Promise<void>;
}

/** The test's handlers, or a function that creates them for the master's file jobs. */
type ChosenHandlers = Partial<Handlers> | ((jobs: FileJobs) => Partial<Handlers>);

interface AdminMasterOptions {
  readonly handlers?: ChosenHandlers;
  readonly ssh?: Partial<
    Pick<SshServerOptions, 'port' | 'hostKey' | 'loginGraceMs'> &
      Pick<DirectBackendOptions, 'views' | 'viewersRead'>
  >;
  /** Folder that contains the staging folders, from which file jobs may copy. */
  readonly staged?: string;
  /** Folders to serve instead of those in the data folder, such as a folder on a small disk. */
  readonly folders?: Partial<FileAreaFolders>;
  /** Space on the disk that writes must leave free (bytes); default 0. */
  readonly reserveBytes?: number;
  /**
   * Whether SSH and files are served in the SSH service. By default, only if `OVERWORLD_TEST_SSH_SERVICE=1` is set.
   */
  readonly inService?: boolean;
}

export async function startAdminMaster(options: AdminMasterOptions = {}): Promise<AdminMaster> {
  const data = await mkdtemp(join(tmpdir(), 'overworld-admin-'));
  const keys = await openKeyStore(join(data, 'config', 'keys.json'));
  const hostKey = await loadPrivateKey(join(data, 'config', 'host_key'));
  const fileEvents: FileEvent[] = [];
  const callers: Caller[] = [];
  const folders = { templates: join(data, 'templates'), files: join(data, 'files'), ...options.folders };
  const log = pino({ level: 'silent' });
  const { views, viewersRead = () => false, ...ssh } = options.ssh ?? {};
  const placed = await placeSsh({
    ...{ data, folders, viewersRead, log },
    start: { host: '127.0.0.1', port: 0, hostKey, ...ssh },
    staged: options.staged ?? null,
    reserveBytes: options.reserveBytes ?? 0,
    inService: options.inService,
  });
  const chosen = typeof options.handlers === 'function' ? options.handlers(placed.jobs) : options.handlers;
  const sessions = new SessionRegistry();
  const sessionEnds: SessionEnd[] = [];
  const refusals: string[] = [];
  const handlers = {
    ...keysHandlers(keys, () => undefined),
    ...sessionsHandlers(sessions, (end) => {
      sessionEnds.push(end);
      return Promise.resolve();
    }),
    ...chosen,
  } as Handlers;
  const backend = directBackend({
    ...{ keys, sessions, handlers, views, viewersRead, log },
    onFileEvent: (event) => fileEvents.push(event),
    onConnect: (caller) => callers.push(caller),
    access: { loggedIn: () => undefined, refused: (_address, why) => refusals.push(why) },
  });
  const server = await placed.start(backend);
  let people = 0;
  return {
    data,
    folders,
    server,
    keys,
    hostKey,
    fileEvents,
    callers,
    sessionEnds,
    refusals,
    applySettings: () => placed.applySettings(),
    async authorize(role, templates = null) {
      people += 1;
      const person = makePerson(`${role} ${people}`);
      await keys.add({ name: person.name, role, templates, publicKey: person.publicKey });
      return person;
    },
    async close() {
      await server.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Address at which a master listens for SSH, and its host key. */
export interface SshPort {
  readonly server: Pick<SshServer, 'host' | 'port'>;
  readonly hostKey: Pick<PrivateKey, 'fingerprint'>;
}

/**
 * Logs in with the SSH library's client, which accepts only the master's host key. Rejects if the login is refused.
 */
export function connect(
  master: SshPort,
  person: Person,
  config: ssh2.ConnectConfig = {},
): Promise<ssh2.Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.on('ready', () => {
      // OpenSSH's client also sets this option. Otherwise, each small request can wait 40 ms for the acknowledgement
      // of the previous request.
      client.setNoDelay(true);
      resolve(client);
    });
    client.on('error', reject);
    client.on('close', () => reject(new Error('closed before the login')));
    client.connect({
      host: master.server.host,
      port: master.server.port,
      username: 'overworld',
      privateKey: person.privateKey,
      hostVerifier: (key: Buffer) => `SHA256:${ssh2Fingerprint(key)}` === master.hostKey.fingerprint,
      ...config,
    });
  });
}

function ssh2Fingerprint(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
}

/** Opens a subsystem. Rejects if the master refuses the subsystem. */
export function openSubsystem(client: ssh2.Client, name: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.subsys(name, (error, channel) => {
      if (error === undefined) resolve(channel);
      else reject(error);
    });
  });
}

/** Opens the admin API on a logged-in client, with the library's own reader and writer. */
export async function openRpc(client: ssh2.Client): Promise<MessageConnection> {
  return speakRpc(await openSubsystem(client, RPC_SUBSYSTEM));
}

export function speakRpc(stream: Duplex): MessageConnection {
  const connection = createMessageConnection(
    new StreamMessageReader(stream),
    new StreamMessageWriter(stream),
  );
  connection.listen();
  return connection;
}
