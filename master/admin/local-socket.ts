import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, unlink } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { serveRpc, type RpcOptions } from './rpc/serve-rpc.ts';

/**
 * Maximum number of connections at the same time. Most commands use one for a short time, but `service console`,
 * `service logs -f` and `activity -f` each keep one until they end, and must not lock out other commands.
 */
const MAX_CONNECTIONS = 256;

export interface LocalSocket {
  readonly path: string;
  /** Stops listening, closes open connections, and removes the socket file. */
  close(): Promise<void>;
}

/**
 * Returns the address at which the command line finds a running master. This is the path of a socket file. On
 * Windows, which has no socket files, it is the name of a pipe.
 */
export function localSocketPath(dataFolder: string): string {
  if (process.platform === 'win32') {
    // The name of a pipe has at most 256 characters.
    return `\\\\.\\pipe\\overworld-${createHash('sha256').update(dataFolder).digest('hex')}`;
  }
  return join(dataFolder, 'run', 'master.sock');
}

/**
 * Serves the admin API to this machine's command line, with the name `local` and the role owner. This gives no
 * additional rights: a user who may open the socket (mode 0600 in a folder of mode 0700) could also change the
 * master's files.
 *
 * Only the holder of the data folder's lease may call this function. Therefore, an existing socket file belongs to a
 * master that has exited, and is replaced.
 *
 * @throws OverworldError LISTEN_FAILED; DATA_FOLDER_UNSAFE if the path exists and is not a socket
 */
export async function serveLocalSocket(dataFolder: string, options: RpcOptions): Promise<LocalSocket> {
  const path = localSocketPath(dataFolder);
  const isFile = process.platform !== 'win32';
  if (isFile) await prepareFolder(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', (error) => options.log.debug({ err: error }, 'a local connection failed'));
    serveRpc(socket, { name: 'local', role: 'owner', templates: null }, options);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EINVAL' ? 'the path is too long for a socket' : cause.message;
      reject(new OverworldError('LISTEN_FAILED', { address: path, why }, cause));
    });
    server.listen(path, resolve);
  });
  server.on('error', (error) => options.log.error({ err: error }, 'the local socket failed'));
  if (isFile) await chmod(path, 0o600);
  return {
    path,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function prepareFolder(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  try {
    const found = await lstat(path);
    if (!found.isSocket()) {
      throw new OverworldError('DATA_FOLDER_UNSAFE', { path, why: 'is not a socket; move it away' });
    }
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
