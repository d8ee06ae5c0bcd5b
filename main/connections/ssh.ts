import type { Client, PublicKeyAuthMethod } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import type { AppIdentity } from '../vault/identity.ts';

/** User name in the SSH protocol. A master checks only the key. */
const USERNAME = 'overworld';

/** Maximum total time for TCP, handshake and authentication (ms). */
const READY_TIMEOUT_MS = 15_000;

/**
 * Interval of keepalive requests on an idle connection (ms). The connection counts as dead after two unanswered
 * requests, so after 12 s.
 */
const KEEPALIVE_MS = 4_000;
const KEEPALIVE_MISSES = 2;

/** Maximum number of listeners on one connection. Each parallel transfer adds some; Node.js warns from 11 on. */
const MAX_LISTENERS = 100;

/** Address of a master, and `pin`, the host key that the master must show. If `pin` is null, every key is refused. */
export interface MasterAddress {
  readonly host: string;
  readonly port: number;
  readonly pin: string | null;
}

/** An authenticated connection with the host key that the master showed. */
export interface SshConnection {
  readonly client: Client;
  readonly hostKey: string;
}

/** Loads the SSH library while the master is starting, before the first connection needs it. */
export function readSshAhead(): Promise<unknown> {
  return import('ssh2');
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function addressOf(target: Pick<MasterAddress, 'host' | 'port'>): string {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  return `${host}:${target.port}`;
}

/**
 * Opens an SSH connection with public key authentication within 15 s. Verifies the host key before it sends the app's
 * own key or any data (docs/connections.md).
 *
 * @param signal aborts the attempt; the promise then rejects with its reason
 * @throws OverworldError MASTER_UNREACHABLE, HOST_KEY_UNKNOWN, HOST_KEY_CHANGED or AUTH_REFUSED
 */
export async function openSsh(
  target: MasterAddress,
  identity: AppIdentity,
  signal: AbortSignal,
): Promise<SshConnection> {
  const address = addressOf(target);
  // Loaded on first use, so that it does not delay the start of the window and the master.
  const { default: ssh2 } = await import('ssh2');
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortReason(signal));
      return;
    }
    const client = new ssh2.Client();
    client.setMaxListeners(MAX_LISTENERS);
    let hostKey: string | null = null;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', onAbort);
      client.destroy();
      reject(error);
    };
    const onAbort = () => fail(abortReason(signal));
    const onError = (cause: Error & { level?: string }) => {
      fail(toConnectError(cause, { address, target, identity, hostKey }));
    };
    const onClose = () => {
      const why = 'it closed the connection';
      fail(new OverworldError('MASTER_UNREACHABLE', { address, why }));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    // This listener stays for the life of the connection, because an 'error' event without a listener would crash the
    // app. Code that uses the connection handles 'close', which always follows.
    client.on('error', onError);
    client.once('close', onClose);
    client.once('ready', () => {
      signal.removeEventListener('abort', onAbort);
      client.off('close', onClose);
      // Disables Nagle's algorithm, which would delay each of many small messages by 40 ms.
      client.setNoDelay(true);
      if (hostKey === null) fail(new OverworldError('INTERNAL', { what: 'no host key was checked' }));
      else resolve({ client, hostKey });
    });
    const login: PublicKeyAuthMethod = { type: 'publickey', username: USERNAME, key: identity.privateKey };
    client.connect({
      host: target.host,
      port: target.port,
      username: USERNAME,
      authHandler: [login],
      readyTimeout: READY_TIMEOUT_MS,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: KEEPALIVE_MISSES,
      // The SSH library inflates without a limit, so a server could fill the memory.
      algorithms: { compress: ['none'] },
      hostVerifier: (key: Buffer) => {
        hostKey = fingerprintOf(key);
        return target.pin === hostKey;
      },
    });
  });
}

interface Attempt {
  readonly address: string;
  readonly target: MasterAddress;
  readonly identity: AppIdentity;
  readonly hostKey: string | null;
}

function toConnectError(cause: Error & { level?: string }, attempt: Attempt): OverworldError {
  const { address, target, identity, hostKey } = attempt;
  if (hostKey !== null && target.pin === null) {
    return new OverworldError('HOST_KEY_UNKNOWN', { address, found: hostKey }, cause);
  }
  if (target.pin !== null && hostKey !== null && hostKey !== target.pin) {
    return new OverworldError('HOST_KEY_CHANGED', { address, expected: target.pin, found: hostKey }, cause);
  }
  if (cause.level === 'client-authentication') {
    return new OverworldError('AUTH_REFUSED', { address, fingerprint: identity.fingerprint }, cause);
  }
  const why = unreachableReason(cause, READY_TIMEOUT_MS);
  return new OverworldError('MASTER_UNREACHABLE', { address, why }, cause);
}

/**
 * Returns why an SSH server cannot be reached, as a clause for an error message.
 *
 * @param timeoutMs time limit of the attempt (ms)
 */
export function unreachableReason(
  cause: Error & { readonly level?: string; readonly code?: string },
  timeoutMs: number,
): string {
  if (cause.level === 'client-timeout') return `no answer within ${timeoutMs / 1000} s`;
  switch (cause.code) {
    case 'ECONNREFUSED':
      return 'nothing is listening on that port';
    case 'ENOTFOUND':
      return 'its name cannot be resolved';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'there is no route to it';
    case 'ETIMEDOUT':
      return 'it does not answer';
    default:
      return cause.message;
  }
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('cancelled');
}
