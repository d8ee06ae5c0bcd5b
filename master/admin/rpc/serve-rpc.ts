import type { Duplex } from 'node:stream';
import type { BaseLogger } from 'pino';
import {
  createMessageConnection,
  ErrorCodes,
  Message,
  ResponseError,
  type ResponseMessage,
} from 'vscode-jsonrpc/node';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { toWire, type WireError } from '#shared/errors/wire.ts';
import type { KeyRights } from '#shared/model/access/role.ts';
import { MAX_MESSAGE_BYTES } from '#shared/rpc/contract.ts';
import type { Caller, Handlers } from '../api.ts';
import { dispatch } from './dispatch.ts';
import { BoundedMessageReader } from './message-reader.ts';
import { BoundedMessageWriter } from './message-writer.ts';
import { StaleNotifier } from './stale-notifier.ts';

/**
 * Maximum number of requests of one connection that are processed at the same time. The app has a few; a script may
 * send a burst.
 */
const MAX_IN_FLIGHT = 64;

/** Maximum number of bytes queued for a client that does not read: two messages of maximum size. */
const MAX_QUEUED_BYTES = 2 * MAX_MESSAGE_BYTES;

/**
 * Code of a JSON-RPC error that is an error of Overworld. JSON-RPC itself defines no code for it. The details are in
 * `data` (WireError).
 */
const APPLICATION_ERROR = 1;

export interface RpcOptions {
  readonly handlers: Handlers;
  readonly log: BaseLogger;
  /** Called for each new connection, so that notifications can be sent to all connections. */
  readonly onConnect?: (caller: Caller) => void;
  /** Called when a client makes a call for which its rights do not suffice. */
  readonly onForbidden?: (caller: AuthenticatedClient, method: string) => void;
}

/** The client of a connection, as the SSH server or the local socket has identified it. */
export interface AuthenticatedClient extends KeyRights {
  readonly name: string;
  /** Id of the SSH session. Absent for the local socket. */
  readonly session?: string;
}

/**
 * Serves the admin API on one stream until the stream closes. Never throws, whatever the client sends: an unreadable
 * message closes the stream, and every other request gets a response.
 *
 * @returns the connection in the form in which handlers get it
 */
export function serveRpc(stream: Duplex, identity: AuthenticatedClient, options: RpcOptions): Caller {
  const { handlers, log } = options;
  const closeListeners = new Set<() => void>();
  let closed = false;

  const reader = new BoundedMessageReader(stream, {
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxInFlight: MAX_IN_FLIGHT,
  });
  const writer = new BoundedMessageWriter(
    stream,
    { maxMessageBytes: MAX_MESSAGE_BYTES, maxQueuedBytes: MAX_QUEUED_BYTES },
    {
      onWritten: (message) => {
        if (Message.isResponse(message) && message.id !== null) reader.answered(message.id);
      },
      onTooLarge: (message, bytes) => {
        log.error({ bytes }, 'an answer exceeded the maximum message size');
        return tooLarge(message, bytes);
      },
    },
  );
  const connection = createMessageConnection(reader, writer, quiet(log));
  const stale = new StaleNotifier((topics) => send('stale', { topics }));

  function send(name: string, params: unknown): void {
    connection.sendNotification(name, params).catch((error: unknown) => {
      log.debug({ err: error, name }, 'a notification was not sent');
    });
  }

  function close(): void {
    if (closed) return;
    closed = true;
    stale.close();
    connection.dispose();
    stream.destroy();
    for (const listener of closeListeners) listener();
    closeListeners.clear();
  }

  const caller: Caller = {
    name: identity.name,
    role: identity.role,
    templates: identity.templates,
    ...(identity.session === undefined ? {} : { session: identity.session }),
    notify(name, params) {
      if (closed) return;
      if ('topics' in params) stale.add(params.topics);
      else send(name, params);
    },
    onClose(listener) {
      if (closed) listener();
      else closeListeners.add(listener);
    },
  };

  connection.onRequest(async (method, params) => {
    try {
      return await dispatch({ method, params }, caller, handlers);
    } catch (thrown) {
      const error = toOverworldError(thrown);
      if (error.code === 'FORBIDDEN') options.onForbidden?.(identity, method);
      if (error.category === 'internal') log.error({ err: error, method }, 'a request failed');
      return new ResponseError(rpcCode(error), error.message, toWire(error));
    }
  });
  connection.onError(([error]) => {
    if (!closed) logEnd(error, identity.name, log);
    close();
  });
  connection.onClose(close);
  connection.listen();
  options.onConnect?.(caller);
  return caller;
}

/** System error codes of a connection that the other end has closed. */
const CLIENT_GONE = [
  'EPIPE',
  'ECONNRESET',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
];

/**
 * Logs why a connection ended. A client that disconnects in the middle of a request is normal, and is logged at debug
 * level. Everything else is logged as a warning.
 */
function logEnd(error: Error, caller: string, log: BaseLogger): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && CLIENT_GONE.includes(code)) {
    log.debug({ caller, code }, 'the client disconnected from the admin API');
  } else log.warn({ err: error, caller }, 'closed an admin API connection');
}

function rpcCode(error: OverworldError): number {
  switch (error.code) {
    case 'METHOD_UNKNOWN':
      return ErrorCodes.MethodNotFound;
    case 'PARAMS_INVALID':
      return ErrorCodes.InvalidParams;
    case 'INTERNAL':
      return ErrorCodes.InternalError;
    default:
      return APPLICATION_ERROR;
  }
}

/**
 * Returns an error response that is sent instead of a response that is too large. Notifications are never too large,
 * because their senders keep them small.
 */
function tooLarge(message: Message, bytes: number): Message {
  const what = `an answer of ${bytes} bytes, more than ${MAX_MESSAGE_BYTES}`;
  const error = new OverworldError('INTERNAL', { what });
  const response: ResponseMessage & { error: { data: WireError } } = {
    jsonrpc: '2.0',
    id: Message.isResponse(message) ? message.id : null,
    error: { code: ErrorCodes.InternalError, message: error.message, data: toWire(error) },
  };
  return response;
}

/** Returns a logger for `vscode-jsonrpc` that logs all messages at debug level. */
function quiet(log: BaseLogger) {
  const debug = (message: string): void => {
    log.debug({ from: 'vscode-jsonrpc' }, message);
  };
  return { error: debug, warn: debug, info: debug, log: debug };
}
