import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client, ClientChannel } from 'ssh2';

/** Most bytes kept of what a command says on standard error: its last words tell why. */
const STDERR_BYTES = 16_384;

/** How a command ended. `finished` is false when its channel closed without telling, as a broken connection does. */
export interface Ended {
  readonly finished: boolean;
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * Opens a channel and starts a command on it.
 *
 * @param attach called in the very moment in which it has begun: what it says and how it ends may come right behind
 * @throws Error when the node or the connection does not take it
 */
export function startExec<T>(
  client: Client,
  command: string,
  attach: (channel: ClientChannel) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error: Error | undefined, channel) => {
      if (error === undefined) resolve(attach(channel));
      else reject(error);
    });
  });
}

/** Resolves when the command has ended and all that it said was read; needs somebody who reads its output. */
export function endOf(channel: ClientChannel): Promise<Ended> {
  return new Promise((resolve) => {
    let ended: Ended = { finished: false, code: null, signal: null };
    let open = 2;
    const onClose = (): void => {
      open -= 1;
      if (open === 0) resolve(ended);
    };
    // Without arguments when the node did not tell.
    channel.once('close', (code?: number | null, signal?: string) => {
      if (code !== undefined) ended = { finished: true, code, signal: signal ?? null };
      onClose();
    });
    channel.stderr.once('close', onClose);
  });
}

/** Resolves when the command itself has ended, though what it started may still hold its output. */
export function exitOf(channel: ClientChannel): Promise<void> {
  return new Promise((resolve) => {
    channel.once('exit', () => resolve());
    channel.once('close', () => resolve());
  });
}

/** Collects standard error; what it returns gives the last part of it. */
export function keepErrors(channel: ClientChannel): () => string {
  let kept = Buffer.alloc(0);
  channel.stderr.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-STDERR_BYTES);
  });
  return () => kept.toString();
}

/**
 * Collects standard output.
 *
 * @param tooMuch makes the error that `failed` rejects with when there is more than `maxBytes`
 */
export function collect(
  channel: ClientChannel,
  maxBytes: number,
  tooMuch: () => Error,
): { bytes(): Buffer; readonly failed: Promise<never> } {
  const chunks: Buffer[] = [];
  let length = 0;
  const failed = new Promise<never>((_, reject) => {
    channel.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) reject(tooMuch());
      else chunks.push(chunk);
    });
  });
  return { bytes: () => Buffer.concat(chunks), failed };
}

/**
 * Gives a command its standard input and closes it then. A stream is read as fast as the node takes it, and is
 * destroyed when the command ends before it.
 *
 * @returns rejects when the stream fails; never resolves
 */
export function feed(channel: ClientChannel, stdin: string | Buffer | Readable = ''): Promise<never> {
  return new Promise((_, reject) => {
    if (!(stdin instanceof Readable)) {
      channel.end(stdin);
      return;
    }
    let closed = false;
    finished(stdin, { writable: false }).catch((error: unknown) => {
      if (!closed) reject(error instanceof Error ? error : new Error('its input failed'));
    });
    // Not stream.pipeline: ssh2 leaves writes to a closed channel unanswered, and it would wait for ever.
    channel.once('close', () => {
      closed = true;
      stdin.unpipe(channel);
      stdin.destroy();
    });
    stdin.pipe(channel);
  });
}

/** Rejects with the signal's reason once it is aborted; never resolves. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
