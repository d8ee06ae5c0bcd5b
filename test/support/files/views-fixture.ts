import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileViews } from '#master/admin/file-views/file-views.ts';
import { secretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { fileCallSlots, type FileNodes } from '#master/control/services/live-files.ts';
import { describeFile, listFiles, readFile } from '#master/runtime/process/live-files.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateOfService, type ServiceId } from '#shared/model/service-id.ts';
import type { VolumeId } from '#shared/model/volume.ts';
import { startAdminMaster, type AdminMaster } from '../master/admin-master.ts';

/** A forwarding secret that is as long as those that masters create. */
export const FORWARDING_SECRET = '0123456789abcdef'.repeat(3);

/** Master that shows running services and volumes over SFTP. Its services are folders without processes. */
export interface ViewsFixture {
  readonly master: AdminMaster;
  readonly volumes: Volumes;
  /** Creates a service, and returns its folder on this machine. */
  readonly addService: (id: ServiceId) => Promise<string>;
  /** Ends a service, which is on no node after this call. */
  readonly endService: (id: ServiceId) => void;
  /** Makes a save of a volume from the files that `fill` writes to a folder. */
  readonly addSave: (id: VolumeId, fill: (folder: string) => Promise<void>) => Promise<void>;
  /** Current number of calls to the node (`now`), and the highest number so far (`most`). */
  readonly calls: { now: number; most: number };
}

export interface ViewsOptions {
  /** Returns whether viewers may read the contents of files. By default, they may not. */
  readonly viewersRead?: () => boolean;
  /**
   * Time without a change after which changes of a volume become a save (ms). By default, the time is longer than a
   * test.
   */
  readonly quietMs?: number;
  readonly quota?: { readonly perVolume: number; readonly total: number };
}

export async function startViews(data: string, options: ViewsOptions = {}): Promise<ViewsFixture> {
  const { viewersRead = () => false, quietMs = 3_600_000 } = options;
  const [services, saved] = [join(data, 'services'), join(data, 'volumes')];
  await mkdir(services, { recursive: true });
  const records = await RecordStore.open(join(data, 'services.json'));
  const settings = masterConfigSchema.parse({}).volumes;
  let now = Date.UTC(2026, 10, 28, 12);
  const volumes = await Volumes.open({
    ...{ folder: saved, copies: dataFolderAt(data), disks: noReserves(), quietMs },
    settings: () => ({ ...settings, quota: options.quota ?? settings.quota }),
    now: () => (now += 60_000),
  });
  const calls = { now: 0, most: 0 };
  const counted = async <T>(call: Promise<T>): Promise<T> => {
    calls.now += 1;
    calls.most = Math.max(calls.most, calls.now);
    return call.finally(() => (calls.now -= 1));
  };
  const at = (id: ServiceId, path: string) => ({ id, top: join(services, id), path });
  const runtime: ReturnType<FileNodes['runtimeOf']> = {
    listFiles: (id, folder, after) => counted(listFiles(at(id, folder), after)),
    describeFile: (id, path) => counted(describeFile(at(id, path))),
    readFile: (id, path, piece) => counted(readFile(at(id, path), piece)),
  };
  const secret = secretFilter(FORWARDING_SECRET);
  const master = await startAdminMaster({
    ssh: {
      views: fileViews({
        context: { records, runtimeOf: () => runtime, fileCalls: fileCallSlots() },
        volumes,
        secret,
      }),
      viewersRead,
    },
  });
  return {
    master,
    volumes,
    calls,
    addService: async (id) => {
      const asked = { template: templateOfService(id), requestedAt: 1, cause: 'a test', manual: true };
      records.add({ ...asked, id }).node = 'node-1';
      await mkdir(join(services, id));
      return join(services, id);
    },
    endService: (id) => {
      const record = records.get(id);
      if (record !== undefined) record.node = null;
    },
    addSave: async (id, fill) => {
      const folder = await mkdtemp(join(saved, 'import-'));
      await fill(folder);
      await volumes.import(id, folder.slice(saved.length + 1), 'a test');
    },
  };
}
