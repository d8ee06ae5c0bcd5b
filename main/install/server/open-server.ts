import type { AuthenticationType, Client, ConnectConfig, NextAuthHandler } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { addressOf, unreachableReason } from '../../connections/ssh.ts';
import { isOneOf, offeredAlgorithms, readHostKey, type HostKey } from './host-key.ts';
import type { ServerAddress } from './known-hosts.ts';
import type { PreparedLogin } from './login.ts';

/** Maximum total time for TCP, handshake and authentication (ms). PAM delays a refusal by some seconds. */
const READY_TIMEOUT_MS = 30_000;

/**
 * Interval of keepalive requests (ms). The connection counts as broken after 20 s without an answer. A small server
 * that unpacks a package may need that long.
 */
const KEEPALIVE_MS = 5_000;
const KEEPALIVE_MISSES = 4;

/** An error of ssh2. */
type ClientError = Error & { readonly level?: string; readonly code?: string };

/**
 * Asks a server for its host key. Takes at most 30 s. Does not log in, and sends neither a user name nor a key.
 *
 * @param known keys that are known already; the server is asked for keys of their types first
 * @throws OverworldError SERVER_UNREACHABLE, or the signal's abort reason
 */
export async function askHostKey(
  address: ServerAddress,
  known: readonly HostKey[],
  signal: AbortSignal,
): Promise<HostKey> {
  let shown: HostKey | null = null;
  const attempt = { address, known, signal };
  return inConnection<HostKey>(attempt, (client, end) => {
    const failed = (cause: ClientError) => {
      // The attempt always ends with an error, because the key is refused.
      if (shown === null) end.fail(unreachable(address, unreachableReason(cause, READY_TIMEOUT_MS), cause));
      else end.succeed(shown);
    };
    client.on('error', failed);
    client.once('close', () => failed(new Error('it closed the connection')));
    return {
      hostVerifier: (blob: Buffer) => {
        shown = readHostKey(blob);
        return false;
      },
    };
  });
}

/**
 * Logs in to a server within 30 s. Compares the host key before it sends the user name or any part of the login.
 *
 * @throws OverworldError SERVER_UNREACHABLE, SERVER_KEY_CHANGED, SERVER_LOGIN_REFUSED, or the signal's abort reason
 */
export async function openServer(
  address: ServerAddress,
  options: { readonly hostKey: HostKey; readonly login: PreparedLogin; readonly signal: AbortSignal },
): Promise<Client> {
  const { hostKey, login, signal } = options;
  const known = [hostKey];
  let shown: HostKey | null = null;
  /** Login methods that the server accepts, as named in its last refusal. */
  let accepted: readonly string[] = [];
  return inConnection<Client>({ address, known, signal }, (client, end) => {
    // This listener stays for the life of the connection. Code that uses the connection handles 'close', which always
    // follows.
    client.on('error', (cause: ClientError) => {
      if (shown !== null && !isOneOf(known, shown)) end.fail(keyChanged(address, known, shown));
      else if (isRefusal(cause)) end.fail(refused(address, { login, accepted, cause }));
      else end.fail(unreachable(address, unreachableReason(cause, READY_TIMEOUT_MS), cause));
    });
    client.once('close', () => end.fail(unreachable(address, 'it closed the connection')));
    client.once('ready', () => {
      client.setNoDelay(true);
      end.succeed(client);
    });
    const methods = [...login.methods];
    return {
      username: login.user,
      hostVerifier: (blob: Buffer) => {
        shown = readHostKey(blob);
        return isOneOf(known, shown);
      },
      authHandler: (left: AuthenticationType[] | null, _partial: boolean | null, next: NextAuthHandler) => {
        accepted = left ?? accepted;
        // ssh2 accepts false for "no more methods", but its types do not allow it.
        next(methods.shift() ?? (false as never));
      },
    };
  });
}

interface Attempt {
  readonly address: ServerAddress;
  readonly known: readonly HostKey[];
  readonly signal: AbortSignal;
}

/** Ends a connection attempt with a result or an error. Only the first call has an effect. */
interface AttemptEnd<T> {
  succeed(result: T): void;
  fail(error: Error): void;
}

/** Makes one attempt to connect. Destroys the client unless the client is the result. */
async function inConnection<T>(
  { address, known, signal }: Attempt,
  prepare: (client: Client, end: AttemptEnd<T>) => ConnectConfig,
): Promise<T> {
  // Loaded on first use, as in connections/ssh.ts.
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  let onAbort = (): void => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      signal.throwIfAborted();
      onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
      signal.addEventListener('abort', onAbort, { once: true });
      const config = prepare(client, {
        succeed: (result) => {
          if (result !== (client as unknown)) client.destroy();
          resolve(result);
        },
        fail: (error) => {
          client.destroy();
          reject(error);
        },
      });
      client.connect({
        host: address.host,
        port: address.port,
        username: 'overworld',
        readyTimeout: READY_TIMEOUT_MS,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: KEEPALIVE_MISSES,
        // The SSH library inflates without a limit, so a server could fill the memory.
        algorithms: { serverHostKey: offeredAlgorithms(known), compress: ['none'] },
        ...config,
      });
    });
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Returns whether the server refused the login. After too many attempts, the server disconnects, which counts as a
 * refusal.
 */
function isRefusal({ level, message }: ClientError): boolean {
  return level === 'client-authentication' || /too many authentication failures/i.test(message);
}

function refused(
  address: ServerAddress,
  { login, accepted, cause }: { login: PreparedLogin; accepted: readonly string[]; cause: ClientError },
): OverworldError {
  const only = accepted.length === 0 ? '' : `; it accepts only: ${accepted.join(', ')}`;
  const many = cause.level === 'client-authentication' ? '' : ' and has closed the connection after too many';
  return new OverworldError(
    'SERVER_LOGIN_REFUSED',
    { address: addressOf(address), user: login.user, why: `${login.refused}${many}${only}` },
    cause,
  );
}

function keyChanged(address: ServerAddress, known: readonly HostKey[], shown: HostKey): OverworldError {
  return new OverworldError('SERVER_KEY_CHANGED', {
    address: addressOf(address),
    expected: known.map(({ fingerprint }) => fingerprint).join(' or '),
    found: shown.fingerprint,
    source: 'the first connection',
  });
}

function unreachable(address: ServerAddress, why: string, cause?: unknown): OverworldError {
  return new OverworldError('SERVER_UNREACHABLE', { address: addressOf(address), why }, cause);
}
