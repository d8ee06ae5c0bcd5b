import { connect as openSocket, type Socket } from 'node:net';
import ssh2, { type Client, type PublicKeyAuthMethod } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fingerprintOf } from './fingerprint.ts';

/** How long TCP, handshake and login may take together, ms. */
const LOGIN_TIMEOUT_MS = 10_000;

/** How often the node is asked for a sign of life, ms; {@link NodeConnection} judges what comes back. */
const PING_MS = 2_500;

/** Each command that runs puts listeners on the connection (Node warns from 11 on). */
const MAX_LISTENERS = 200;

/** Where a node listens, and the host keys that it may show. */
export interface SshTarget {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  /** Fingerprints, `SHA256:…`; none: nothing is good. */
  readonly pins: readonly string[];
}

/** An authenticated connection. */
export interface Login {
  readonly client: Client;
  readonly socket: Socket;
  /** Fingerprint of the key that the node showed; one of the pins. */
  readonly hostKey: string;
}

/**
 * Logs in at a node as root. Its host key is compared before anything of ours is sent (docs/adr/0015).
 *
 * @param privateKey the master's own, OpenSSH text
 * @param signal gives up early
 * @throws OverworldError NODE_UNREACHABLE; its `why` says what is wrong, in words for people
 */
export function connect(target: SshTarget, privateKey: string, signal: AbortSignal): Promise<Login> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string, cause?: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(new OverworldError('NODE_UNREACHABLE', { node: target.node, why }, cause));
    };
    const onAbort = (): void => refuse('it is not wanted any more');
    const socket = openSocket({ host: target.host, port: target.port, noDelay: true });
    const client = new ssh2.Client();
    client.setMaxListeners(MAX_LISTENERS);
    let shown: string | null = null;
    // Stays for the life of the connection: an 'error' without a listener would end the master. Whoever uses the
    // connection hears of its end by 'close', which always follows.
    client.on('error', (cause: Error) => refuse(whyOf(cause, { target, shown }), cause));
    const onClose = (): void => refuse('it closed the connection');
    client.once('close', onClose);
    client.once('ready', () => {
      signal.removeEventListener('abort', onAbort);
      client.off('close', onClose);
      if (shown === null) refuse('its host key was not checked');
      else resolve({ client, socket, hostKey: shown });
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
      return;
    }
    const login: PublicKeyAuthMethod = { type: 'publickey', username: 'root', key: privateKey };
    client.connect({
      sock: socket,
      username: 'root',
      authHandler: [login],
      readyTimeout: LOGIN_TIMEOUT_MS,
      keepaliveInterval: PING_MS,
      // ssh2 would count unanswered questions, and take a node for dead that a long upload keeps from answering.
      keepaliveCountMax: Number.MAX_SAFE_INTEGER,
      algorithms: {
        // The fastest first (measured: 230–254 MB/s on one core); all of them are there in Electron, too.
        cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
        // The one kind that nodes are given; another kind would be a key that nobody pinned.
        serverHostKey: ['ssh-ed25519'],
      },
      hostVerifier: (key: Buffer) => {
        shown = fingerprintOf(key);
        return target.pins.includes(shown);
      },
    });
  });
}

interface Attempt {
  readonly target: SshTarget;
  readonly shown: string | null;
}

function whyOf(cause: Error & { level?: string; code?: string }, { target, shown }: Attempt): string {
  if (shown !== null && !target.pins.includes(shown)) {
    const expected = target.pins.join(' or ') || 'none is known';
    return `it shows the host key ${shown}, which is not its own (${expected}); somebody may be in between, so nothing was sent to it`;
  }
  if (cause.level === 'client-authentication') return "it does not accept this master's key";
  if (cause.level === 'client-timeout') return `it gave no answer within ${LOGIN_TIMEOUT_MS / 1000} s`;
  switch (cause.code) {
    case 'ECONNREFUSED':
      return `nothing listens on its port ${target.port}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no route to ${target.host}`;
    case 'ETIMEDOUT':
      return 'it does not answer';
    case 'ECONNRESET':
      return 'it broke the connection off';
    default:
      return cause.message;
  }
}
