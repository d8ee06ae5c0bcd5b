import { createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type AuthContext, type CipherAlgorithm, type Connection } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AuthorizedKey } from '#shared/model/role.ts';
import type { PrivateKey } from '../private-key-file.ts';
import type { KeyStore } from '../keys.ts';
import { Authentication } from './authentication.ts';
import { serveChannels, type ChannelOptions } from './channels.ts';
import { joinWrites } from './join-writes.ts';

/** Maximum number of connections. An admin's app uses one or two. */
const MAX_CONNECTIONS = 200;

/** Maximum number of connections that have not logged in: what an attacker without a key can occupy. */
const MAX_UNAUTHENTICATED = 32;

/** Maximum time from connecting to a successful login (ms). */
const LOGIN_GRACE_MS = 20_000;

/** Interval of keepalive requests (ms). A client that leaves three of them unanswered counts as disconnected. */
const KEEPALIVE_INTERVAL_MS = 15_000;

/**
 * Offered ciphers, all AES. ChaCha20-Poly1305, which OpenSSH's client prefers, takes five cipher objects per request and
 * answer and computes Poly1305 in WebAssembly (docs/design/sftp-server.md).
 */
const CIPHERS: CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
];

export interface SshServerOptions extends ChannelOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly hostKey: PrivateKey;
  readonly keys: KeyStore;
  /** Overrides the maximum time for the login (ms). */
  readonly loginGraceMs?: number;
}

export interface SshServer {
  readonly host: string;
  /** The port on which it listens. */
  readonly port: number;
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

interface Peer {
  readonly socket: Socket;
  client?: Connection;
  key?: AuthorizedKey;
  grace?: NodeJS.Timeout;
}

/**
 * Starts the only port through which people reach the master (docs/architecture.md): SSH with public keys, which
 * carries the admin API and SFTP. Accepts connections here instead of in the library, which has no limit for
 * clients that stay silent before their first line.
 *
 * @throws OverworldError LISTEN_FAILED
 */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { log, keys } = options;
  const peers = new Map<string, Peer>();
  // Other algorithms are the library's defaults: the secure ones that this build of Node supports.
  const ssh = new ssh2.Server({
    hostKeys: [options.hostKey.privateKey],
    ident: 'Overworld',
    algorithms: { cipher: CIPHERS },
    keepaliveInterval: KEEPALIVE_INTERVAL_MS,
    keepaliveCountMax: 3,
  });
  ssh.on('connection', (client, info) => {
    client.on('error', (error: Error) => log.debug({ err: error, ip: info.ip }, 'an SSH connection broke'));
    const peer = peers.get(peerId(info.ip, info.port));
    if (peer === undefined) {
      client.end();
      return;
    }
    peer.client = client;
    login(client, peer);
  });

  function login(client: Connection, peer: Peer): void {
    const authentication = new Authentication(keys);
    client.on('authentication', (context: AuthContext) => {
      const result = authentication.attempt(context);
      if (result.kind === 'accepted') {
        clearTimeout(peer.grace);
        peer.key = result.key;
        serveChannels(client, result.key, options);
        const { name, role } = result.key;
        log.info({ key: name, role, ip: peer.socket.remoteAddress }, 'logged in');
        context.accept();
      } else if (result.kind === 'refused' && result.last) {
        log.info({ ip: peer.socket.remoteAddress }, 'login refused: no authorized key was offered');
        hangUp(peer);
      }
    });
  }

  function onSocket(socket: Socket): void {
    socket.on('error', (error) => log.debug({ err: error }, 'a connection broke'));
    if (peers.size >= MAX_CONNECTIONS) {
      log.warn({ ip: socket.remoteAddress, connections: peers.size }, 'too many connections');
      socket.destroy();
      return;
    }
    const strangers = [...peers.values()].filter((peer) => peer.key === undefined && !peer.socket.destroyed);
    const [crowding] = strangers.length >= MAX_UNAUTHENTICATED ? biggestCrowd(strangers) : [];
    if (crowding !== undefined) {
      log.debug({ ip: crowding.socket.remoteAddress }, 'made room for another login');
      hangUp(crowding);
    }
    const { remoteAddress, remotePort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return;
    const id = peerId(remoteAddress, remotePort);
    const peer: Peer = { socket };
    peer.grace = setTimeout(() => {
      log.info({ ip: remoteAddress }, 'login took too long');
      hangUp(peer);
    }, options.loginGraceMs ?? LOGIN_GRACE_MS);
    peers.set(id, peer);
    socket.on('close', () => {
      clearTimeout(peer.grace);
      peers.delete(id);
    });
    socket.setNoDelay(true);
    joinWrites(socket);
    ssh.injectSocket(socket);
  }

  const server = createServer(onSocket);
  await listen(server, options);
  server.on('error', (error) => log.error({ err: error }, 'the SSH port failed'));
  const { address, port } = server.address() as AddressInfo;
  const unsubscribe = keys.onRemoved(({ fingerprint, name }) => {
    for (const peer of peers.values()) {
      if (peer.key?.fingerprint !== fingerprint) continue;
      log.info({ key: name, ip: peer.socket.remoteAddress }, 'closed a session, as its key was removed');
      hangUp(peer);
    }
  });
  return {
    host: address,
    port,
    async close() {
      unsubscribe();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const peer of peers.values()) hangUp(peer);
      await closed;
    },
  };
}

/**
 * Returns the connections of the address that has most of them, oldest first. An address that occupies all places
 * thus loses its own and locks out no other one.
 */
function biggestCrowd(strangers: readonly Peer[]): readonly Peer[] {
  const crowds = new Map<string | undefined, Peer[]>();
  for (const peer of strangers) {
    const { remoteAddress } = peer.socket;
    crowds.set(remoteAddress, [...(crowds.get(remoteAddress) ?? []), peer]);
  }
  return [...crowds.values()].reduce((most, crowd) => (crowd.length > most.length ? crowd : most), []);
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
      return 'ports below 1024 need more rights';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
    default:
      return error.message;
  }
}
