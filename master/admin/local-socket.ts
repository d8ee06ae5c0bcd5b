import { chmod, lstat, mkdir, unlink } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { serveRpc, type RpcOptions } from './rpc/serve-rpc.ts';

/** Command-line calls at the same time; each holds one connection for a moment. */
const MAX_CONNECTIONS = 32;

export interface LocalSocket {
  readonly path: string;
  /** Stops listening, ends open connections, removes the socket file. */
  close(): Promise<void>;
}

/** Where the command line finds a master: a named pipe on Windows, which has no socket files. */
export function localSocketPath(dataFolder: string): string {
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\overworld-${Buffer.from(dataFolder).toString('hex')}`;
  }
  return join(dataFolder, 'run', 'master.sock');
}

/**
 * Serves the admin API to this machine's command line, as owner `local`: whoever may open the socket (mode 0600 in
 * a folder of mode 0700) could also change the files behind it. Called by the holder of the lease only, so a socket
 * file that exists is a dead master's and is replaced.
 *
 * @throws OverworldError LISTEN_FAILED; DATA_FOLDER_UNSAFE when something else than a socket is in its place
 */
export async function serveLocalSocket(dataFolder: string, options: RpcOptions): Promise<LocalSocket> {
  const path = localSocketPath(dataFolder);
  const isFile = process.platform !== 'win32';
  if (isFile) await prepareFolder(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', (error) => options.log.debug({ err: error }, 'a local connection broke'));
    serveRpc(socket, { name: 'local', role: 'owner' }, options);
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
