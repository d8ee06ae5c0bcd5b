import { reserveBytesOf, type DiskReserves } from '#master/store/disk-reserve.ts';
import type { PrivateKey } from '#master/admin/private-key-file.ts';
import type { SshBackend } from '#master/admin/ssh/ssh-backend.ts';
import { startSshServer, type SshServer } from '#master/admin/ssh/ssh-server.ts';
import { SshServiceClient } from '#master/admin/ssh-service/master-side/ssh-service-client.ts';
import { openFileArea } from '#master/files/sftp/jail/file-area.ts';
import type { Staging } from '#master/files/tasks/fetch/staging.ts';
import { DirectFileJobs, type FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { ConfigStore } from '#master/store/config-store.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { MasterOptions } from './options.ts';

interface PlaceSshOptions {
  readonly options: Pick<MasterOptions, 'sshHost' | 'sshPort' | 'sshService' | 'sshPingMs' | 'log'>;
  readonly folder: DataFolder;
  readonly disks: DiskReserves;
  readonly config: Pick<ConfigStore, 'master'>;
  readonly hostKey: PrivateKey;
  readonly staging: Staging;
}

/** The SSH server and the access to files, in this process or in the SSH service. */
export interface PlacedSsh {
  readonly jobs: FileJobs;
  /**
   * Starts the SSH server. If the server runs in the SSH service, the promise may resolve before it has started.
   *
   * @throws OverworldError LISTEN_FAILED
   */
  start(backend: SshBackend): Promise<SshServer>;
  /** Resolves when the current settings apply to all sessions. */
  applySettings(): Promise<void>;
  /** Whether the SSH server is listening. */
  readonly isReady: boolean;
}

/**
 * Chooses the process that serves SSH and files: the SSH service if the master was started with its socket, otherwise
 * this process.
 */
export async function placeSsh({
  options: { sshHost: host, sshPort: port, sshService, sshPingMs: pingMs, log },
  folder: { templates, files },
  disks,
  config,
  hostKey,
  staging,
}: PlaceSshOptions): Promise<PlacedSsh> {
  const start = { host, port, hostKey };
  if (sshService !== undefined) {
    const settings = () => ({
      viewersRead: config.master.config.access.viewers_read_files,
      reserveBytes: reserveBytesOf(config.master.config),
    });
    const folders = { templates, files, staged: staging.folder };
    return new SshServiceClient({ socket: sshService, start: { ...start, folders }, settings, pingMs, log });
  }
  const fileArea = await openFileArea({ templates, files }, disks);
  let isReady = false;
  return {
    jobs: new DirectFileJobs(fileArea, staging.area),
    async start(backend) {
      const server = await startSshServer({ ...start, log, backend, fileArea });
      isReady = true;
      return server;
    },
    applySettings: () => Promise.resolve(),
    get isReady() {
      return isReady;
    },
  };
}
