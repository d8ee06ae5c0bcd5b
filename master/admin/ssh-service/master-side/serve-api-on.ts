import { connect, type Socket } from 'node:net';
import type { BaseLogger } from 'pino';
import { z } from 'zod';
import type { ServedSessions } from './served-sessions.ts';

/** Maximum length of the first line of a connection, which names the session (bytes). */
const MAX_LINE_BYTES = 256;

/**
 * Pause before the next connection if a connection fails before the service has used it, or if the service names a
 * session whose channel cannot be served (ms). Without the pause, the service could make the master connect again and
 * again.
 */
const RETRY_MS = 1_000;

const firstLineSchema = z.strictObject({ session: z.string() });

interface ServeApiOptions {
  readonly sessions: ServedSessions;
  readonly log: BaseLogger;
  /** Aborted when the SSH service has ended. */
  readonly signal: AbortSignal;
  /** Default: {@link RETRY_MS}. */
  readonly retryMs?: number;
}

/**
 * Keeps one unused connection to the SSH service open. When a client opens a channel of the admin API, the service
 * uses this connection: it first sends the id of the session in one line, and then the bytes of the client. Because
 * the master opens the connections, the service needs no right to connect to anything.
 *
 * @param path path of the service's socket
 */
export function serveApiOn(path: string, options: ServeApiOptions): void {
  const { sessions, log, signal, retryMs = RETRY_MS } = options;
  if (signal.aborted) return;
  const socket = connect({ path, signal });
  socket.on('error', (error) => log.debug({ err: error }, 'a connection to the SSH service failed'));
  const retry = (): void => void setTimeout(() => serveApiOn(path, options), retryMs).unref();
  socket.on('close', retry);
  readFirstLine(socket, (line) => {
    try {
      const { session } = firstLineSchema.parse(JSON.parse(line));
      sessions.serveApi(session, socket);
    } catch (error) {
      log.debug({ err: error }, 'a channel of the admin API was not served');
      socket.destroy();
      return;
    }
    socket.off('close', retry);
    // Opens the next connection now, so that the next channel does not have to wait for it.
    serveApiOn(path, options);
  });
}

/**
 * Calls `onLine` with the first line of a stream. The bytes after the line stay in the stream. Destroys the stream if
 * its first {@link MAX_LINE_BYTES} contain no line end.
 */
function readFirstLine(socket: Socket, onLine: (line: string) => void): void {
  let received = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\n');
    if (end < 0) {
      if (received.length > MAX_LINE_BYTES) socket.destroy();
      return;
    }
    socket.off('data', onData);
    socket.pause();
    if (end + 1 < received.length) socket.unshift(received.subarray(end + 1));
    onLine(received.toString('utf8', 0, end));
    socket.resume();
  };
  socket.on('data', onData);
}
