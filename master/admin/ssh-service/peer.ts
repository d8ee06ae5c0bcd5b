import type { Duplex } from 'node:stream';
import type { BaseLogger } from 'pino';
import { createMessageConnection, ErrorCodes, ResponseError, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { MessageTypes } from './messages.ts';
import { fromPeerError, toPeerError } from './peer-error.ts';
import { PeerReader, type PeerLimits } from './peer-reader.ts';

type Messages = Readonly<Record<string, MessageTypes>>;

/** Parameters as they are sent. */
type Sent<M extends Messages, N extends keyof M> = z.input<M[N]['params']>;
/** Result as it is received. */
type Received<M extends Messages, N extends keyof M> = z.output<M[N]['result']>;

/** The handlers of a process, one for each message that it receives. Errors that they throw are thrown in the other process. */
export type PeerHandlers<M extends Messages> = {
  readonly [N in keyof M]: (
    params: z.output<M[N]['params']>,
  ) => z.input<M[N]['result']> | Promise<z.input<M[N]['result']>>;
};

/** The other process. */
export interface Peer<M extends Messages> {
  /**
   * Sends a request.
   *
   * @throws OverworldError SSH_SERVICE_ENDED if the other process has ended; what its handler throws
   */
  call<N extends keyof M & string>(name: N, params: Sent<M, N>): Promise<Received<M, N>>;
  /** Sends a message without waiting for its answer. Does nothing if the other process has ended. */
  notify<N extends keyof M & string>(name: N, params: Sent<M, N>): void;
  close(): void;
}

interface PeerOptions<M extends Messages, H extends Messages> {
  readonly stream: Duplex;
  /** Messages that are sent. */
  readonly sends: M;
  /** Messages that are received. */
  readonly receives: H;
  readonly handlers: PeerHandlers<H>;
  readonly limits: PeerLimits;
  readonly log: BaseLogger;
  /** Called once, when the connection has ended. */
  readonly onClose: () => void;
}

/**
 * Connects the master and its SSH service over a stream. All messages are checked on both sides, since a fault in one
 * process must not become one in the other. A message that breaks the rules ends the connection.
 */
export function connectPeer<M extends Messages, H extends Messages>(options: PeerOptions<M, H>): Peer<M> {
  const { stream, sends, receives, handlers, log } = options;
  const waiting = new Set<(error: OverworldError) => void>();
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    // First, so that callers get this error and not the library's.
    for (const reject of waiting) reject(new OverworldError('SSH_SERVICE_ENDED', { what: 'the request' }));
    waiting.clear();
    connection.dispose();
    stream.destroy();
    options.onClose();
  }

  function handle(name: string, params: unknown): unknown {
    const types = Object.hasOwn(receives, name) ? receives[name] : undefined;
    const parsed = types?.params.safeParse(params);
    if (parsed?.success !== true) {
      log.error(
        { name: name.slice(0, 100), issues: parsed?.error.issues },
        'received a message that breaks the rules',
      );
      close();
      return null;
    }
    // A message's parameters and its handler have matching types, but TypeScript cannot check this for all at once.
    const handler = handlers[name as keyof H] as (params: unknown) => unknown;
    return handler(parsed.data);
  }

  const reader = new PeerReader(stream, options.limits);
  const connection = createMessageConnection(reader, new StreamMessageWriter(stream), quiet(log));
  connection.onRequest(async (name, params) => {
    try {
      return await handle(name, params);
    } catch (error) {
      const sent = toPeerError(error, (cause) => log.error({ err: cause, name }, 'a request failed'));
      return new ResponseError(ErrorCodes.UnknownErrorCode, 'see data', sent);
    } finally {
      reader.handled();
    }
  });
  connection.onNotification((name, params) => {
    // For example because the session of the message has just ended.
    Promise.resolve()
      .then(() => handle(name, params))
      .catch((error: unknown) => log.debug({ err: error, name }, 'a message was not handled'));
  });
  connection.onError(([error]) => {
    if (!closed) log.error({ err: error }, 'the connection between master and SSH service failed');
    close();
  });
  connection.onClose(close);
  stream.on('error', close);
  connection.listen();

  return {
    async call(name, params) {
      if (closed) throw new OverworldError('SSH_SERVICE_ENDED', { what: 'the request' });
      let fail: (error: OverworldError) => void = () => undefined;
      const ended = new Promise<never>((_resolve, reject) => (fail = reject));
      ended.catch(() => undefined);
      waiting.add(fail);
      try {
        const answer: unknown = await Promise.race([connection.sendRequest(name, params), ended]);
        return sends[name]?.result.parse(answer) as Received<M, typeof name>;
      } catch (error) {
        throw error instanceof ResponseError ? fromPeerError(error.data) : error;
      } finally {
        waiting.delete(fail);
      }
    },
    notify(name, params) {
      if (closed) return;
      connection
        .sendNotification(name, params)
        .catch((error: unknown) => log.debug({ err: error, name }, 'not sent'));
    },
    close,
  };
}

/** Returns a logger for `vscode-jsonrpc` that logs all messages at debug level. */
function quiet(log: BaseLogger) {
  const debug = (message: string): void => {
    log.debug({ from: 'vscode-jsonrpc' }, message);
  };
  return { error: debug, warn: debug, info: debug, log: debug };
}
