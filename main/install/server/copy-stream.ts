import { PassThrough } from 'node:stream';
import type { RootShell } from './run-in-unit.ts';
import type { Ran } from './shell.ts';

/**
 * Maximum number of bytes that the app buffers between the two servers, in addition to the windows of the SSH
 * channels.
 */
const BUFFER_BYTES = 1_048_576;

/** A script that runs as root on a server. */
export interface RootScript {
  readonly root: RootShell;
  readonly script: string;
}

/**
 * Passes the standard output of a script on one server to the standard input of a script on another. The slower
 * script sets the pace. If one script fails, the other is stopped. If the receiver succeeds early, the call still
 * waits for the sender.
 *
 * @param onBytes called with the number of bytes that were sent on
 * @returns how both scripts have ended, whatever their exit status
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function copyStream(
  from: RootScript,
  to: RootScript,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes?: (bytes: number) => void },
): Promise<{ readonly sent: Ran; readonly stored: Ran }> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const pipe = new PassThrough({ highWaterMark: BUFFER_BYTES });
  const endBoth = (error: unknown): never => {
    failed.abort(error);
    throw error;
  };
  const options = { signal: either, ...(onBytes === undefined ? {} : { onSent: onBytes }) };
  const [sent, stored] = await Promise.allSettled([
    from.root.shell.pour(from.script, pipe, { signal: either, sudo: from.root.sudo }).catch(endBoth),
    to.root.shell.feed(to.script, pipe, { ...options, sudo: to.root.sudo }).catch(endBoth),
  ]);
  signal.throwIfAborted();
  // Reports the failure that came first, because it caused the other one.
  failed.signal.throwIfAborted();
  if (sent.status === 'rejected') throw sent.reason;
  if (stored.status === 'rejected') throw stored.reason;
  return { sent: sent.value, stored: stored.value };
}
