import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client, ClientChannel } from 'ssh2';
import { guardWindow } from '#shared/node/window-guard.ts';

/**
 * Maximum size of the standard error that is stored (bytes). Only its end is stored, because the last lines contain
 * the reason of a failure.
 */
const STDERR_BYTES = 16_384;

/**
 * How a command exited. `finished` is false if the channel closed before an exit status arrived, for example because
 * the connection broke.
 */
export interface Ended {
  readonly finished: boolean;
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * Opens a channel on the node's connection, and starts a command on it.
 *
 * @param attach adds the listeners for output and exit; called synchronously after the start, so that no event is
 *   missed
 * @returns what `attach` returns
 * @throws Error if the node or the connection refuses the channel or the command
 */
export function startExec<T>(
  client: Client,
  command: string,
  attach: (channel: ClientChannel) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error: Error | undefined, channel) => {
      if (error !== undefined) {
        reject(error);
        return;
      }
      // A hostile node must not be able to fill the master's memory.
      guardWindow(channel, () => client.destroy());
      resolve(attach(channel));
    });
  });
}

/**
 * Resolves when the channel has closed and the command's output has been read; `finished` is false if the node did
 * not report how the command exited. The caller must read the output.
 */
export function endOf(channel: ClientChannel): Promise<Ended> {
  return new Promise((resolve) => {
    let ended: Ended = { finished: false, code: null, signal: null };
    let open = 2;
    const onClose = (): void => {
      open -= 1;
      if (open === 0) resolve(ended);
    };
    // Called without arguments if the node did not report the exit.
    channel.once('close', (code?: number | null, signal?: string) => {
      if (code !== undefined) ended = { finished: true, code, signal: signal ?? null };
      onClose();
    });
    channel.stderr.once('close', onClose);
  });
}

/**
 * Resolves when the command itself has exited, even if its children keep the output open, or the channel has closed.
 */
export function waitForExit(channel: ClientChannel): Promise<void> {
  return new Promise((resolve) => {
    channel.once('exit', () => resolve());
    channel.once('close', () => resolve());
  });
}

/** Starts to collect standard error. Returns a function that returns its last 16 KiB. */
export function keepErrors(channel: ClientChannel): () => string {
  let kept = Buffer.alloc(0);
  channel.stderr.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-STDERR_BYTES);
  });
  return () => kept.toString();
}

/**
 * Starts to collect standard output.
 *
 * @param tooMuch creates the error for output of more than `maxBytes`; `failed` then rejects with it
 * @returns `bytes`: returns the output so far. `failed`: a promise that never resolves, and rejects if the output is
 *   too long
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
 * Writes a command's standard input and closes it. A stream is read as fast as the node accepts its data. If the
 * command exits before the end of the stream, the stream is destroyed.
 *
 * @returns a promise that never resolves; it rejects if the stream fails
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
    // stream.pipeline would hang, because ssh2 never completes writes to a closed channel.
    channel.once('close', () => {
      closed = true;
      stdin.unpipe(channel);
      stdin.destroy();
    });
    stdin.pipe(channel);
  });
}

/** Returns a promise that rejects with the signal's reason when the signal is aborted. It never resolves. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
