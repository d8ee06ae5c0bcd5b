import { join } from 'node:path';
import type { Logger } from 'pino';
import type { SshBackend } from '#master/admin/ssh/ssh-backend.ts';
import { startSshServer, type SshServer, type SshServerOptions } from '#master/admin/ssh/ssh-server.ts';
import { SshServiceClient } from '#master/admin/ssh-service/master-side/ssh-service-client.ts';
import { serveMaster } from '#master/admin/ssh-service/service-side/serve-master.ts';
import { openFileArea, openFolderArea, type FileAreaFolders } from '#master/files/sftp/jail/file-area.ts';
import { DirectFileJobs, type FileJobs } from '#master/files/tasks/file-jobs.ts';
import { DiskReserves } from '#master/store/disk-reserve.ts';

/** Whether tests serve SSH and files in an SSH service behind a socket, as a master from the package does. */
export const inSshService = process.env['OVERWORLD_TEST_SSH_SERVICE'] === '1';

interface PlacedSshOptions {
  readonly data: string;
  readonly start: Pick<SshServerOptions, 'host' | 'port' | 'hostKey' | 'loginGraceMs'>;
  readonly folders: FileAreaFolders;
  readonly staged: string | null;
  readonly reserveBytes: number;
  readonly viewersRead: () => boolean;
  /** Whether SSH and files are served behind a socket; by default, {@link inSshService}. */
  readonly inService?: boolean | undefined;
  readonly log: Logger;
}

interface PlacedSsh {
  readonly jobs: FileJobs;
  start(backend: SshBackend): Promise<SshServer>;
  applySettings(): Promise<void>;
}

/**
 * Runs the SSH server and the jail either directly with the other parts of a test's master, or in an SSH service
 * behind a socket.
 */
export async function placeSsh(options: PlacedSshOptions): Promise<PlacedSsh> {
  if (options.inService ?? inSshService) return placeInService(options);
  const { start, folders, staged, reserveBytes, log } = options;
  const fileArea = await openFileArea(folders, new DiskReserves(() => reserveBytes));
  return {
    jobs: new DirectFileJobs(fileArea, staged === null ? null : await openFolderArea(staged)),
    start: (backend) => startSshServer({ ...start, fileArea, backend, log }),
    applySettings: () => Promise.resolve(),
  };
}

function placeInService({
  data,
  start,
  folders,
  staged,
  reserveBytes,
  viewersRead,
  log,
}: PlacedSshOptions): PlacedSsh {
  const socket = join(data, 'ssh.sock');
  const client = new SshServiceClient({
    ...{ socket, log, start: { ...start, folders: { ...folders, staged } } },
    settings: () => ({ viewersRead: viewersRead(), reserveBytes }),
  });
  return {
    jobs: client.jobs,
    async start(backend) {
      const served = serveMaster(socket, log);
      const server = await client.start(backend);
      return {
        ...server,
        async close() {
          await server.close();
          await served;
        },
      };
    },
    applySettings: () => client.applySettings(),
  };
}
