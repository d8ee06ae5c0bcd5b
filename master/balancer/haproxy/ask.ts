import { connect } from 'node:net';
import type { Address } from '../config/address.ts';
import { writeAddress } from '../config/address.ts';

/** HAProxy answers at once; one that does not within this time is stopped or stuck, ms. */
const TIMEOUT_MS = 5_000;
/** No answer of ours is longer, bytes: a line of `show stat` has some 500. */
const LONGEST = 8 * 1_048_576;

/** Why a socket gave no answer. `nobody`: nothing listens there; `forbidden`: this user may not. */
export class AskError extends Error {
  readonly kind: 'nobody' | 'forbidden' | 'silent' | 'broken';

  constructor(kind: AskError['kind'], why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'AskError';
    this.kind = kind;
  }
}

/**
 * Asks HAProxy's runtime socket, or its master's, one thing: each question has a connection of its own, which HAProxy closes
 * when it has answered (management manual 9.3).
 *
 * @param at path of a Unix socket, or a TCP address
 * @param line one command; no line break
 * @throws AskError
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
      () => fail(new AskError('silent', `it gave no answer within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    );
    // The master's socket waits for more questions until it sees that none will come.
    socket.on('connect', () => socket.end(`${line}\n`));
    socket.on('data', (part: Buffer) => {
      size += part.length;
      if (size > LONGEST) fail(new AskError('broken', 'its answer is too long'));
      else parts.push(part);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(inWords(error)));
    // Also after an error: whatever came first counts.
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString('utf8'));
    });
  });
}

/** A socket as it is named in sentences. */
export function nameOf(at: string | Address): string {
  return typeof at === 'string' ? at : writeAddress(at);
}

function inWords(error: NodeJS.ErrnoException): AskError {
  switch (error.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
    case 'ENOTDIR':
      return new AskError('nobody', 'nobody listens there, so HAProxy does not run (with this file)', error);
    case 'EACCES':
    case 'EPERM':
      return new AskError(
        'forbidden',
        "the user of Overworld's master may not use it; make that user a member of the socket's group (haproxy)",
        error,
      );
    default:
      return new AskError('broken', error.message, error);
  }
}
