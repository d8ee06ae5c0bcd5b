import { connect, type Socket } from 'node:net';
import { createMessageConnection, ResponseError, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import { ClientMessageReader } from '#shared/node/client-message-reader.ts';
import {
  identitySchema,
  methods,
  notifications,
  type MethodName,
  type Notification,
  type NotificationName,
  type Params,
  type Result,
} from '#shared/rpc/contract.ts';
import { timeLimitMs } from '#shared/rpc/time-limits.ts';
import { tolerant } from '#shared/tolerant.ts';
import { VERSION } from '#shared/version.ts';
import { localSocketPath } from '#master/admin/local-socket.ts';
import { forbidden } from './data-folder.ts';

/** Client of the command line for a running master. */
export interface MasterClient {
  /**
   * Calls a method of the master.
   *
   * @throws OverworldError the master's error; REQUEST_TIMEOUT; MASTER_CONNECTION_FAILED; MASTER_VERSION_MISMATCH
   */
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls `listener` for each notification of this name. Notifications that cannot be read are ignored. */
  on<N extends NotificationName>(name: N, listener: (notification: Notification<N>) => void): void;
  /** Rejects with MASTER_CONNECTION_FAILED when the connection ends. */
  readonly lost: Promise<never>;
}

/**
 * Connects to the master of a data folder over its local socket, runs `use`, and closes the connection.
 *
 * @param timeoutMs maximum time to wait for each response (ms), because a process that is paused never responds;
 *   default 30 s. Methods that process many files always have the longer limit of {@link timeLimitMs}
 * @throws OverworldError MASTER_NOT_RUNNING; DATA_FOLDER_FORBIDDEN; MASTER_CONNECTION_FAILED; whatever `use` throws
 */
export async function withMaster<T>(
  dataFolder: string,
  use: (master: MasterClient) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const socket = await openSocket(localSocketPath(dataFolder), dataFolder);
  const connection = createMessageConnection(
    // Root runs some commands. These must not trust the master, because it is a process of another user.
    new ClientMessageReader(socket),
    new StreamMessageWriter(socket),
  );
  let why = 'the master closed it';
  const lost = new Promise<never>((_, reject) => {
    socket.on('close', () => {
      reject(new OverworldError('MASTER_CONNECTION_FAILED', { folder: dataFolder, why }));
    });
  });
  lost.catch(() => undefined);
  connection.onError(([error]) => {
    why = error.message;
    socket.destroy();
  });
  connection.listen();
  const send = (method: MethodName, params: object): Promise<unknown> => {
    const limitMs = timeLimitMs(method, timeoutMs);
    return Promise.race([inTime(method, connection.sendRequest(method, params), limitMs), lost]);
  };
  try {
    return await use({
      lost,
      on: (name, listener) => {
        connection.onNotification(name, (params: unknown) => {
          const read = tolerant(notifications[name]).safeParse(params);
          if (read.success) listener(read.data as Notification<typeof name>);
        });
      },
      call: async <M extends MethodName>(method: M, params: Params<M>) => {
        const mismatch = async (cause: unknown): Promise<OverworldError> => {
          const info = identitySchema.pick({ version: true }).safeParse(await send('master.info', {}));
          const theirs = info.success ? info.data.version : 'unknown';
          return new OverworldError('MASTER_VERSION_MISMATCH', { method, theirs, ours: VERSION }, cause);
        };
        const answer = await send(method, params).catch(async (error: unknown) => {
          throw hasCode(error, 'METHOD_UNKNOWN') ? await mismatch(error) : error;
        });
        const result = tolerant<z.ZodType>(methods[method].result).safeParse(answer);
        // The schema of this method proves the type, but TypeScript cannot derive that for all methods at once.
        if (result.success) return result.data as Result<M>;
        throw await mismatch(result.error);
      },
    });
  } finally {
    connection.dispose();
    socket.destroy();
  }
}

async function inTime(method: string, answer: Promise<unknown>, afterMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OverworldError('REQUEST_TIMEOUT', { method, afterMs })), afterMs);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    throw error instanceof ResponseError ? fromWire(error.data ?? error) : error;
  } finally {
    clearTimeout(timer);
  }
}

function openSocket(path: string, folder: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error, folder)));
  });
}

function inWords(error: NodeJS.ErrnoException, folder: string): OverworldError {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ECONNREFUSED':
      return new OverworldError('MASTER_NOT_RUNNING', { folder }, error);
    case 'EACCES':
    case 'EPERM':
      return forbidden(folder, error);
    default:
      return new OverworldError('MASTER_CONNECTION_FAILED', { folder, why: error.message }, error);
  }
}
