import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { openFileArea, openFolderArea } from '#master/files/sftp/jail/file-area.ts';
import { DirectFileJobs, type FileJobs } from '#master/files/tasks/file-jobs.ts';
import { DiskReserves } from '#master/store/disk-reserve.ts';
import { startSshServer, type SshServer } from '../../ssh/ssh-server.ts';
import {
  MAX_MESSAGE_BYTES,
  toMaster,
  toService,
  type ServiceSettings,
  type StartParams,
} from '../messages.ts';
import { connectPeer, type Peer, type PeerHandlers } from '../peer.ts';
import { ApiChannels } from './api-channels.ts';
import { jobHandlers } from './job-runner.ts';
import { RemoteBackend } from './remote-backend.ts';

/** Maximum number of the master's messages that are handled at the same time. The master never sends as many. */
const MAX_PENDING = 65_536;

/**
 * Serves one master: listens on a socket, and runs the SSH server with SFTP and the tasks on files for the first
 * process that connects. Resolves when this process has disconnected and all sessions are closed. The caller must
 * then exit, so that no data of one master remains for the next.
 *
 * @param path path of the socket, in a folder that only the master's user can enter
 * @throws OverworldError LISTEN_FAILED
 */
export async function serveMaster(path: string, log: Logger): Promise<void> {
  const channels = new ApiChannels();
  const masters: Serving[] = [];
  const server = createServer();
  const over = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      if (masters.length === 0) masters.push(serve(socket, { channels, log, onClose: resolve }));
      else channels.offer(socket);
    });
  });
  await listen(server, path);
  await over;
  server.close();
  channels.close();
  for (const master of masters) await master.close();
}

/** A master that is being served. */
interface Serving {
  close(): Promise<void>;
}

interface ServeOptions {
  readonly channels: ApiChannels;
  readonly log: Logger;
  readonly onClose: () => void;
}

function serve(stream: Socket, { channels, log, onClose }: ServeOptions): Serving {
  let settings: ServiceSettings = { viewersRead: false, reserveBytes: 0 };
  let jobs: FileJobs | null = null;
  let ssh: SshServer | null = null;
  const disks = new DiskReserves(() => settings.reserveBytes);
  const backend = new RemoteBackend({
    disks,
    settings: () => settings,
    master: () => master,
    serveApi: (session, channel) => channels.serve(session, channel),
  });

  async function start({
    folders,
    settings: first,
    ...options
  }: StartParams): Promise<{ host: string; port: number }> {
    settings = first;
    const fileArea = await openFileArea({ templates: folders.templates, files: folders.files }, disks);
    const staged = folders.staged === null ? null : await openFolderArea(folders.staged);
    jobs = new DirectFileJobs(fileArea, staged);
    ssh = await startSshServer({ ...options, log, backend, fileArea });
    const { host, port } = ssh;
    log.info({ host, port }, 'ready');
    return { host, port };
  }

  function startedJobs(): FileJobs {
    if (jobs === null) throw new OverworldError('INTERNAL', { what: 'the SSH service has not started' });
    return jobs;
  }

  const handlers: PeerHandlers<typeof toService> = {
    ...jobHandlers(startedJobs, () => master),
    start,
    ping: () => ({}),
    settings(next) {
      settings = next;
      return {};
    },
    async stop() {
      await ssh?.close();
      return {};
    },
    async hangUp({ session }) {
      await channels.drained(session);
      await backend.hangUp(session);
      return {};
    },
  };
  const master: Peer<typeof toMaster> = connectPeer({
    stream,
    sends: toMaster,
    receives: toService,
    handlers,
    log,
    onClose,
    limits: {
      maxAnswerBytes: MAX_MESSAGE_BYTES,
      maxRequestBytes: MAX_MESSAGE_BYTES,
      maxPending: MAX_PENDING,
    },
  });
  return {
    async close() {
      await ssh?.close();
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  // Removes the socket file of a process that was killed.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new OverworldError('LISTEN_FAILED', { address: path, why: cause.message }, cause)),
    );
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
}
