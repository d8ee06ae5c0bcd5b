import { connect, type Socket } from 'node:net';
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import { methods, type MethodName, type Params, type Result } from '#shared/rpc/contract.ts';
import { VERSION } from '#shared/version.ts';
import { localSocketPath } from '#master/admin/local-socket.ts';

/** Maximum time to wait for a response (ms). A stopped process does not respond at all. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Client of a running master for the command line. */
export interface MasterClient {
  /**
   * Calls a method.
   *
   * @throws OverworldError what the master responds; REQUEST_TIMEOUT; CONNECTION_LOST; MASTER_VERSION_MISMATCH
   */
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
}

/**
 * Connects to the master of a data folder over its local socket, and runs `use`.
 *
 * @throws OverworldError MASTER_NOT_RUNNING; MASTER_UNREACHABLE if this user may not connect; whatever `use` throws
 */
export async function withMaster<T>(
  dataFolder: string,
  use: (master: MasterClient) => Promise<T>,
): Promise<T> {
  const path = localSocketPath(dataFolder);
  const socket = await openSocket(path, dataFolder);
  const connection = createMessageConnection(
    new StreamMessageReader(socket),
    new StreamMessageWriter(socket),
  );
  const lost = new Promise<never>((_, reject) => {
    socket.on('close', () => reject(new OverworldError('CONNECTION_LOST', { address: path })));
  });
  lost.catch(() => undefined);
  connection.onError(() => socket.destroy());
  connection.listen();
  const send = (method: string, params: object): Promise<unknown> =>
    Promise.race([inTime(method, connection.sendRequest(method, params)), lost]);
  try {
    return await use({
      call: async <M extends MethodName>(method: M, params: Params<M>) => {
        const result = methods[method].result.safeParse(await send(method, params));
        // Parsing with the schema of this method proves the type, which TypeScript cannot see across all methods.
        if (result.success) return result.data as Result<M>;
        const info = versionSchema.safeParse(await send('master.info', {}));
        const theirs = info.success ? info.data.version : 'unknown';
        throw new OverworldError('MASTER_VERSION_MISMATCH', { method, theirs, ours: VERSION }, result.error);
      },
    });
  } finally {
    connection.dispose();
    socket.destroy();
  }
}

/** Schema of the only field that is read from a master with another version, whose other fields may differ. */
const versionSchema = z.object({ version: z.string() });

async function inTime(method: string, answer: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new OverworldError('REQUEST_TIMEOUT', { method, afterMs: ANSWER_TIMEOUT_MS })),
      ANSWER_TIMEOUT_MS,
    );
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
    socket.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error, path, folder)));
  });
}

function inWords(error: NodeJS.ErrnoException, path: string, folder: string): OverworldError {
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ECONNREFUSED':
      return new OverworldError('MASTER_NOT_RUNNING', { folder }, error);
    case 'EACCES':
    case 'EPERM': {
      const why = 'this user may not; use the user that the master runs as';
      return new OverworldError('MASTER_UNREACHABLE', { address: path, why }, error);
    }
    default:
      return new OverworldError('MASTER_UNREACHABLE', { address: path, why: error.message }, error);
  }
}
