import type { Duplex } from 'node:stream';
import type { BaseLogger } from 'pino';
import {
  ConnectionError,
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageWriter,
  type MessageStrategy,
} from 'vscode-jsonrpc/node';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { MessageTypes } from './messages.ts';
import { fromPeerError, toPeerError } from './peer-error.ts';
import { PeerReader, type PeerLimits } from './peer-reader.ts';

type Messages = Readonly<Record<string, MessageTypes>>;

/** Parameters as they are sent. */
type Sent<M extends Messages, N extends keyof M> = z.input<M[N]['params']>;
/** Result as it is received. */
type Received<M extends Messages, N extends keyof M> = z.output<M[N]['result']>;

/**
 * The handlers of a process, one for each message that it receives. Errors that they throw are thrown in the other
 * process.
 */
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
   * @throws OverworldError INTERNAL if the parameters break the rules, so that the other process would close the
   *   connection; SSH_SERVICE_ENDED if the other process has ended; what its handler throws
   */
  call<N extends keyof M & string>(name: N, params: Sent<M, N>): Promise<Received<M, N>>;
  /**
   * Sends a message without waiting for its answer. Does nothing if it breaks the rules, or if the other process has
   * ended.
   */
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
    for (const reject of waiting) reject(hasEnded());
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
  const messageStrategy: MessageStrategy = {
    // An answer that the other process does not read is not sent, so its request stays pending.
    async handleMessage(message, next) {
      try {
        await next(message);
      } finally {
        reader.handled(message);
      }
    },
  };
  const writer = new StreamMessageWriter(stream);
  const connection = createMessageConnection(reader, writer, quiet(log), { messageStrategy });
  connection.onRequest(async (name, params) => {
    try {
      return await handle(name, params);
    } catch (error) {
      const sent = toPeerError(error, (cause) => log.error({ err: cause, name }, 'a request failed'));
      return new ResponseError(ErrorCodes.UnknownErrorCode, 'see data', sent);
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

  function check<N extends keyof M & string>(name: N, params: Sent<M, N>): void {
    const checked = sends[name]?.params.safeParse(params);
    if (checked?.success === true) return;
    const why = checked === undefined ? 'it is unknown' : z.prettifyError(checked.error);
    throw new OverworldError('INTERNAL', { what: `the message ${name} was not sent: ${why}` });
  }

  return {
    async call(name, params) {
      check(name, params);
      if (closed) throw hasEnded();
      let fail: (error: OverworldError) => void = () => undefined;
      const ended = new Promise<never>((_resolve, reject) => (fail = reject));
      ended.catch(() => undefined);
      waiting.add(fail);
      try {
        const answer: unknown = await Promise.race([connection.sendRequest(name, params), ended]);
        return sends[name]?.result.parse(answer) as Received<M, typeof name>;
      } catch (error) {
        throw toThrown(error);
      } finally {
        waiting.delete(fail);
      }
    },
    notify(name, params) {
      if (closed) return;
      try {
        check(name, params);
      } catch (error) {
        log.error({ err: error }, 'a message was not sent');
        return;
      }
      connection
        .sendNotification(name, params)
        .catch((error: unknown) => log.debug({ err: error, name }, 'not sent'));
    },
    close,
  };
}

/**
 * Converts an error of a request. All errors of the library, such as of writing, mean that the connection has ended.
 */
function toThrown(error: unknown): unknown {
  if (error instanceof ResponseError && error.code === ErrorCodes.UnknownErrorCode)
    return fromPeerError(error.data);
  return error instanceof ResponseError || error instanceof ConnectionError ? hasEnded() : error;
}

function hasEnded(): OverworldError {
  return new OverworldError('SSH_SERVICE_ENDED', { what: 'the request' });
}

/** Returns a logger for `vscode-jsonrpc` that logs all messages at debug level. */
function quiet(log: BaseLogger) {
  const debug = (message: string): void => {
    log.debug({ from: 'vscode-jsonrpc' }, message);
  };
  return { error: debug, warn: debug, info: debug, log: debug };
}
