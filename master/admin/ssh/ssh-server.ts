import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { AddressGate, type AddressRate } from '#shared/node/address-gate.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { PendingConnections } from '#shared/node/pending-connections.ts';
import { TokenBucket } from '#shared/node/token-bucket.ts';
import type { PrivateKey } from '../private-key-file.ts';
import { offerKnownMacs, SERVER_ALGORITHMS } from './algorithms.ts';
import { Authentication, type AuthResult } from './authentication.ts';
import { serveChannels, type ChannelOptions } from './channels.ts';
import { joinWrites } from './join-writes.ts';
import type { SshBackend } from './ssh-backend.ts';

/** Maximum number of connections. An admin's app uses one or two. */
const MAX_CONNECTIONS = 200;

/**
 * Maximum number of connections that have not logged in. This limits the resources that an attacker without a key can
 * occupy.
 */
const MAX_UNAUTHENTICATED = 32;

/** Maximum time from connecting to a successful login (ms). */
const LOGIN_GRACE_MS = 20_000;

/** Maximum time for the requests of disconnected clients to finish when the server closes (ms). */
const MAX_CLOSE_MS = 3_000;

/** Interval of keepalive requests (ms). A client that leaves three of them unanswered counts as disconnected. */
const KEEPALIVE_INTERVAL_MS = 15_000;

/**
 * How often one address may connect (for IPv6: one /64 network). A connection costs a key exchange, about 2 ms of
 * processor time. The app opens a few connections. A file manager opens about ten.
 */
export const SSH_RATE: AddressRate = { burst: 100, perSecond: 20 };

/**
 * Maximum number of bytes that a client may send before it has logged in. A login with six RSA keys of 16,384 bits
 * takes 32 KB. The limit also bounds the number of key exchanges, refused methods and answers before the login.
 */
const MAX_BYTES_BEFORE_LOGIN = 65_536;

/** Limits how often one logged-in connection may repeat the key exchange. OpenSSH repeats it after 1 GB of data. */
const REKEY_RATE = { burst: 50, perSecond: 20 };

export interface SshServerOptions extends Omit<ChannelOptions, 'viewersRead'> {
  readonly host: string;
  /** Port to listen on; 0 selects a free port. */
  readonly port: number;
  readonly hostKey: PrivateKey;
  /** Decides about logins, and serves the admin API. */
  readonly backend: SshBackend;
  /** Overrides the maximum time from connecting to login (ms). */
  readonly loginGraceMs?: number | undefined;
}

export interface SshServer {
  readonly host: string;
  /** The port on which the server listens. */
  readonly port: number;
  /**
   * Closes all connections and stops listening. Resolves when the requests of all clients have finished, at most 3 s
   * later.
   */
  close(): Promise<void>;
}

interface Peer {
  readonly socket: Socket;
  client?: Connection;
  key?: AuthorizedKey;
  /** Why the last login attempt was refused. Missing if the client has not tried to log in. */
  refusal?: string;
}

/**
 * Starts the server on the only port through which people reach the master (docs/architecture.md): SSH with public
 * keys, for the admin API and SFTP. The server accepts connections itself and then passes them to the SSH library,
 * because the library does not limit clients that send nothing before they log in.
 *
 * @throws OverworldError LISTEN_FAILED
 */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { log, backend } = options;
  const peers = new Map<string, Peer>();
  /** Sessions that have not ended yet. */
  const sessions = new Set<Promise<void>>();
  const gate = new AddressGate(SSH_RATE);
  const pending = new PendingConnections({
    max: MAX_UNAUTHENTICATED,
    timeoutMs: options.loginGraceMs ?? LOGIN_GRACE_MS,
  });
  const ssh = new ssh2.Server({
    hostKeys: [options.hostKey.privateKey],
    ident: 'Overworld',
    algorithms: SERVER_ALGORITHMS,
    keepaliveInterval: KEEPALIVE_INTERVAL_MS,
    keepaliveCountMax: 3,
  });
  ssh.on('connection', (client, info) => {
    client.on('error', (error: Error) => log.debug({ err: error, ip: info.ip }, 'an SSH connection failed'));
    const peer = peers.get(peerId(info.ip, info.port));
    if (peer === undefined) {
      client.end();
      return;
    }
    peer.client = client;
    const { software } = info.header.versions;
    offerKnownMacs(client, software);
    limitKeyExchanges(client, peer);
    login(client, peer, software);
  });

  function login(client: Connection, peer: Peer, software: string): void {
    const address = peer.socket.remoteAddress ?? '';
    const authentication = new Authentication(backend, { address, software, hangUp: () => hangUp(peer) });
    const { fileArea } = options;
    const viewersRead = (): boolean => backend.viewersRead();

    function onResult(context: AuthContext, result: AuthResult): void {
      if (result.kind === 'accepted') {
        // The client may have disconnected while the backend decided.
        if (peer.socket.destroyed) {
          result.session.close();
          return;
        }
        pending.identify(peer.socket);
        peer.key = result.session.key;
        const { session } = result;
        const ended = serveChannels(client, {
          fileArea,
          log,
          viewersRead,
          session,
          onOverrun: () => onOverrun(peer),
        });
        sessions.add(ended);
        void ended.then(() => sessions.delete(ended));
        context.accept();
      } else if (result.kind === 'refused') {
        const { last, why } = result;
        if (context.method !== 'none') peer.refusal = refusalOf(context, why);
        if (!last) return;
        log.info({ ip: address }, `login refused: ${why ?? 'no authorized key was offered'}`);
        hangUp(peer);
      }
    }

    client.on('authentication', (context: AuthContext) => {
      const result = authentication.attempt(context);
      if (!(result instanceof Promise)) {
        onResult(context, result);
        return;
      }
      result
        .then((settled) => onResult(context, settled))
        .catch((error: unknown) => {
          log.error({ err: error, ip: address }, 'a login could not be decided');
          hangUp(peer);
        });
    });
  }

  function onOverrun(peer: Peer): void {
    log.info({ key: peer.key?.name }, 'closed a connection that sent more data than it was allowed to');
    hangUp(peer);
  }

  /**
   * Closes a connection that repeats the key exchange before it has logged in, or repeats it too often afterwards.
   */
  function limitKeyExchanges(client: Connection, peer: Peer): void {
    const bucket = new TokenBucket({ ...REKEY_RATE, now: monotonicMs() });
    client.on('rekey', () => {
      if (peer.key !== undefined && bucket.take(1, monotonicMs()) === 0) return;
      log.info({ ip: peer.socket.remoteAddress }, 'closed a connection with too many key exchanges');
      hangUp(peer);
    });
  }

  function onSocket(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    socket.on('error', (error) => log.debug({ err: error }, 'a connection failed'));
    // The client has closed the connection already.
    if (remoteAddress === undefined || remotePort === undefined) return;
    if (!gate.admits(remoteAddress, monotonicMs())) {
      socket.resetAndDestroy();
      return;
    }
    if (peers.size >= MAX_CONNECTIONS) {
      log.warn({ ip: remoteAddress, connections: peers.size }, 'too many connections');
      socket.destroy();
      return;
    }
    if (!pending.enter(socket)) log.debug({ ip: remoteAddress }, 'closed another connection to make room');
    const id = peerId(remoteAddress, remotePort);
    const peer: Peer = { socket };
    peers.set(id, peer);
    socket.on('close', () => {
      peers.delete(id);
      if (peer.key !== undefined) return;
      log.debug({ ip: remoteAddress }, 'a connection ended without a login');
      if (peer.refusal !== undefined) backend.refused(remoteAddress, peer.refusal);
    });
    // Added before the listener of the SSH library, so that the limit is checked before the library reads the data.
    socket.on('data', () => {
      if (peer.key !== undefined || socket.bytesRead <= MAX_BYTES_BEFORE_LOGIN) return;
      log.info({ ip: remoteAddress }, 'closed a connection that sent too much before its login');
      hangUp(peer);
    });
    socket.setNoDelay(true);
    joinWrites(socket);
    ssh.injectSocket(socket);
  }

  const server = createServer(onSocket);
  await listen(server, options);
  server.on('error', (error) => log.error({ err: error }, 'the SSH port failed'));
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const peer of peers.values()) hangUp(peer);
      await closed;
      await Promise.race([Promise.all(sessions), delay(MAX_CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

/** Describes a refused attempt. The length of the text is limited, whatever the client has sent. */
function refusalOf(context: AuthContext, why: string | undefined): string {
  if (context.method !== 'publickey') return 'no key was offered';
  const key = `the key ${fingerprintOf(context.key.data)}`;
  return why === undefined ? `${key} is not authorized, or was not proven` : `${key} was refused: ${why}`;
}

/** Closes the connection immediately and discards unread data. */
function hangUp({ socket, client }: Peer): void {
  client?.end();
  socket.destroy();
}

function peerId(address: string, port: number): string {
  return `${address} ${port}`;
}

function listen(server: ReturnType<typeof createServer>, { host, port }: SshServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      reject(new OverworldError('LISTEN_FAILED', { address: `${host}:${port}`, why: inWords(cause) }, cause));
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function inWords(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another program uses this port';
    case 'EACCES':
      return 'ports below 1024 require elevated privileges';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
    default:
      return error.message;
  }
}
