import { connect as openSocket, type Socket } from 'node:net';
import ssh2, { type Client, type PublicKeyAuthMethod } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';

/** Time limit of TCP connection, handshake and login together (ms). */
const LOGIN_TIMEOUT_MS = 10_000;

/** Interval of keep-alive requests (ms); {@link NodeConnection} evaluates the answers. */
const PING_MS = 2_500;

/**
 * Maximum number of listeners on a connection. Each running command adds some, and Node.js would otherwise log a
 * warning from the eleventh on.
 */
const MAX_LISTENERS = 200;

/** Address of a node, and the host keys that it may present. */
export interface SshTarget {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  /** Fingerprints of the accepted host keys, `SHA256:…`; if empty, every key is refused. */
  readonly pins: readonly string[];
}

/** Authenticated connection. */
export interface Login {
  readonly client: Client;
  readonly socket: Socket;
  /** Fingerprint of the host key that the node presented. It is one of the accepted keys. */
  readonly hostKey: string;
}

/**
 * Logs in at a node as root, within 10 s. The host key is verified before any data is sent (docs/adr/0015).
 *
 * @param privateKey the master's private key (OpenSSH text)
 * @param signal cancels the login
 * @throws OverworldError NODE_UNREACHABLE; its `why` is the reason in words for users
 */
export function connect(target: SshTarget, privateKey: string, signal: AbortSignal): Promise<Login> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string, cause?: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(new OverworldError('NODE_UNREACHABLE', { node: target.node, why }, cause));
    };
    const onAbort = (): void => refuse('the connection is no longer needed');
    const socket = openSocket({ host: target.host, port: target.port, noDelay: true });
    const client = new ssh2.Client();
    client.setMaxListeners(MAX_LISTENERS);
    let shown: string | null = null;
    // The listener stays for the life of the connection, because an 'error' event without a listener would
    // terminate the master. Users of the connection are notified by 'close', which always follows.
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
      // Prevents ssh2 from closing the connection because of unanswered requests, while a long upload delays the
      // answers.
      keepaliveCountMax: Number.MAX_SAFE_INTEGER,
      algorithms: {
        // Fastest first (measured: 230–254 MB/s on one core). Electron supports all of them as well.
        cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
        // Nodes have only keys of this type, and their fingerprints are stored.
        serverHostKey: ['ssh-ed25519'],
        // Without compression, because the SSH library decompresses data without a size limit.
        compress: ['none'],
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
    return `it presents the host key ${shown} instead of ${expected}; the connection may be intercepted, so nothing was sent`;
  }
  if (cause.level === 'client-authentication') return "it does not accept this master's key";
  if (cause.level === 'client-timeout') return `it did not answer within ${LOGIN_TIMEOUT_MS / 1000} s`;
  switch (cause.code) {
    case 'ECONNREFUSED':
      return `nothing is listening on its port ${target.port}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no route to ${target.host}`;
    case 'ETIMEDOUT':
      return 'it does not answer';
    case 'ECONNRESET':
      return 'it reset the connection';
    default:
      return cause.message;
  }
}
