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

/** Parameters of a message in the form in which they are sent. */
type Sent<M extends Messages, N extends keyof M> = z.input<M[N]['params']>;
/** Result of a message in the form in which it is received. */
type Received<M extends Messages, N extends keyof M> = z.output<M[N]['result']>;

/**
 * The handlers of one process, one for each message that it receives. An error that a handler throws is sent to the
 * other process, and thrown there.
 */
export type PeerHandlers<M extends Messages> = {
  readonly [N in keyof M]: (
    params: z.output<M[N]['params']>,
  ) => z.input<M[N]['result']> | Promise<z.input<M[N]['result']>>;
};

/** The connection to the other process. */
export interface Peer<M extends Messages> {
  /**
   * Sends a request, and returns the answer.
   *
   * @throws OverworldError INTERNAL if the parameters do not match the schema of the message, so that the other
   *   process would close the connection; SSH_SERVICE_ENDED if the other process has ended; whatever the other
   *   process's handler throws
   */
  call<N extends keyof M & string>(name: N, params: Sent<M, N>): Promise<Received<M, N>>;
  /**
   * Sends a message without waiting for its answer. If the message does not match its schema, or if the other process
   * has ended, sends nothing and does not throw.
   */
  notify<N extends keyof M & string>(name: N, params: Sent<M, N>): void;
  close(): void;
}

interface PeerOptions<M extends Messages, H extends Messages> {
  readonly stream: Duplex;
  /** Messages that this process sends. */
  readonly sends: M;
  /** Messages that this process receives. */
  readonly receives: H;
  readonly handlers: PeerHandlers<H>;
  readonly limits: PeerLimits;
  readonly log: BaseLogger;
  /** Called once, when the connection has ended. */
  readonly onClose: () => void;
}

/**
 * Connects the master and its SSH service over a stream. Both sides check each message against its schema, so that a
 * fault in one process does not cause a fault in the other. A received message that does not match its schema ends
 * the connection.
 */
export function connectPeer<M extends Messages, H extends Messages>(options: PeerOptions<M, H>): Peer<M> {
  const { stream, sends, receives, handlers, log } = options;
  const waiting = new Set<(error: OverworldError) => void>();
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    // Rejects the calls before the library does, so that callers get this error and not the library's.
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
    // The parameters and the handler of a message have matching types, but TypeScript cannot check this for all
    // messages at once.
    const handler = handlers[name as keyof H] as (params: unknown) => unknown;
    return handler(parsed.data);
  }

  const reader = new PeerReader(stream, options.limits);
  const messageStrategy: MessageStrategy = {
    // An answer is only written when the other process reads, so a request stays pending until its answer was
    // written.
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
    // The handler may fail, for example because the session of the message has just ended.
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
 * Converts an error of a request. Each error of the library itself, such as a failed write, means that the connection
 * has ended.
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
