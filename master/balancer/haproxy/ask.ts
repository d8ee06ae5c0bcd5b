import { connect } from 'node:net';
import type { Address } from '../config/address.ts';
import { writeAddress } from '../config/address.ts';

/** Maximum time to wait for an answer (ms). HAProxy answers immediately, unless it is stopped or hangs. */
const TIMEOUT_MS = 5_000;
/** Maximum size of an answer (bytes). A line of `show stat` has about 500. */
const LONGEST = 8 * 1_048_576;

/**
 * Reason why a socket gave no answer. `absent`: no process listens on it. `forbidden`: the user has no permission.
 * `silent`: the timeout has passed. `broken`: the answer is too long, or the connection failed for another reason.
 */
export class AskError extends Error {
  readonly kind: 'absent' | 'forbidden' | 'silent' | 'broken';

  constructor(kind: AskError['kind'], why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'AskError';
    this.kind = kind;
  }
}

/**
 * Sends one command to HAProxy's runtime socket, or to the socket of its master process, and returns the answer. Uses
 * one connection per command, because HAProxy closes a connection after the answer (management manual 9.3).
 *
 * @param at path of a Unix socket, or a TCP address
 * @param line one command without a line break
 * @param timeoutMs maximum time for connection and answer (ms)
 * @throws AskError if there is no complete answer within `timeoutMs`
 */
export function ask(at: string | Address, line: string, timeoutMs = TIMEOUT_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = typeof at === 'string' ? connect(at) : connect(at.port, at.host);
    const parts: Buffer[] = [];
    let size = 0;
    const fail = (error: AskError): void => {
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new AskError('silent', `it did not answer within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    );
    // The master's socket waits for further commands until the connection is half-closed.
    socket.on('connect', () => socket.end(`${line}\n`));
    socket.on('data', (part: Buffer) => {
      size += part.length;
      if (size > LONGEST) fail(new AskError('broken', 'its answer is too long'));
      else parts.push(part);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(inWords(error)));
    // This event also follows an error; in this case, the promise is already settled.
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString('utf8'));
    });
  });
}

/** Returns a socket's name for messages. */
export function nameOf(at: string | Address): string {
  return typeof at === 'string' ? at : writeAddress(at);
}

function inWords(error: NodeJS.ErrnoException): AskError {
  switch (error.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
    case 'ENOTDIR':
      return new AskError(
        'absent',
        'nothing is listening on it, so HAProxy is not running with this file',
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return new AskError(
        'forbidden',
        "the master's user has no permission to use it; add that user to the group of the socket (haproxy)",
        error,
      );
    default:
      return new AskError('broken', error.message, error);
  }
}
