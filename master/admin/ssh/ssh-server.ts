import { createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { AuthorizedKey } from '#shared/model/role.ts';
import type { PrivateKey } from '../private-key-file.ts';
import type { KeyStore } from '../keys.ts';
import { Authentication } from './authentication.ts';
import { serveChannels, type ChannelOptions } from './channels.ts';
import { joinWrites } from './join-writes.ts';

/** All connections; an admin's app holds one or two. */
const MAX_CONNECTIONS = 200;

/** Connections that have not logged in yet: what an attacker without a key can occupy. */
const MAX_UNAUTHENTICATED = 32;

/** From connecting to a proven key, in ms. */
const LOGIN_GRACE_MS = 20_000;

/** A client that answers nothing for three of these is gone. */
const KEEPALIVE_INTERVAL_MS = 15_000;

export interface SshServerOptions extends ChannelOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly hostKey: PrivateKey;
  readonly keys: KeyStore;
  /** Replaces the time allowed for the login, in ms. */
  readonly loginGraceMs?: number;
}

export interface SshServer {
  readonly host: string;
  /** The port it really listens on. */
  readonly port: number;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

interface Peer {
  readonly socket: Socket;
  client?: Connection;
  key?: AuthorizedKey;
  grace?: NodeJS.Timeout;
}

/**
 * Starts the one port that people reach the master by (docs/architecture.md): SSH with public keys, carrying the admin API and
 * SFTP. Connections are made here rather than by the library, which knows no limits for those that stay silent
 * before their first line.
 *
 * @throws OverworldError LISTEN_FAILED
 */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { log, keys } = options;
  const peers = new Map<string, Peer>();
  // Algorithms are the library's defaults: the ones that are sound, as far as this build of Node has them.
  const ssh = new ssh2.Server({
    hostKeys: [options.hostKey.privateKey],
    ident: 'Overworld',
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

/** Those of the address that has most: who fills all places loses its own, and keeps nobody else out. Oldest first. */
function biggestCrowd(strangers: readonly Peer[]): readonly Peer[] {
  const crowds = new Map<string | undefined, Peer[]>();
  for (const peer of strangers) {
    const { remoteAddress } = peer.socket;
    crowds.set(remoteAddress, [...(crowds.get(remoteAddress) ?? []), peer]);
  }
  return [...crowds.values()].reduce((most, crowd) => (crowd.length > most.length ? crowd : most), []);
}

/** Cuts the line at once: what the client has sent and we have not read is not looked at any more. */
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
