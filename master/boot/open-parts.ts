import type { LoopContext } from '#master/control/loop/loop-context.ts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MOVE_MARK_PATH } from '#shared/move-mark.ts';
import { z } from 'zod';
import { openNodes, type OpenedNodes } from './open-nodes.ts';
import { Evictions } from '#master/state/services/evictions.ts';
import { openUnsavedFiles } from '#master/state/services/unsaved-files.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { NodeTimes } from '#master/state/nodes/node-times.ts';
import { CostStore } from '#master/state/costs/cost-store.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { Pinger, type Ping } from '#master/state/pings/pinger.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { StartBackoffs } from '#master/state/services/start-backoffs.ts';
import { fileCallSlots } from '#master/control/services/live-files.ts';
import { emitVolumeEvent } from '#master/control/volumes/volume-events.ts';
import { keepStrayData } from '#master/control/volumes/keep-stray-data.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { Topics } from '#master/state/feed/topics.ts';
import type { CloseStack } from './shutdown.ts';
import { DEFAULT_LIMITS, type MasterOptions } from './options.ts';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import { DiskReserves, reserveBytesOf } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { recordSecurityEvents } from '#master/control/feed/security-events.ts';
import { openJsonFile } from '#master/store/json-file.ts';
import { MoveMark } from '#master/store/move-mark.ts';
import { securityLogFolder } from '#master/store/security-log/files.ts';
import { SecurityLog } from '#master/store/security-log/security-log.ts';
import { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import { openTemplateFolders } from '#master/templates/template-folders.ts';
import { openPlayerEntry } from './ingress.ts';

/** Maximum time for a server to answer a status ping (ms). */
const PING_TIMEOUT_MS = 2_000;

export interface OpenedParts {
  readonly parts: LoopContext;
  readonly nodes: OpenedNodes;
  readonly disks: DiskReserves;
  /** Id that marks all nodes and services of this master. */
  readonly cluster: string;
  readonly security: SecurityLog;
}

/**
 * Opens everything that the control loop works with: stores, nodes and the player entry.
 *
 * @throws OverworldError DATA_FAULTY, DISK_FULL
 */
export async function openParts(
  options: MasterOptions,
  folder: DataFolder,
  opened: CloseStack,
): Promise<OpenedParts> {
  const { log } = options;
  const now = (): number => Date.now();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const cluster = await clusterId(folder.config);
  const security = await SecurityLog.open(securityLogFolder(folder.state), now);
  opened.add(() => security.close());
  // Logs the hash of the newest entry, which the system's journal keeps outside of the data folder, so that a removal
  // of entries can be noticed.
  log.info({ entries: security.head.seq, hash: security.head.hash }, 'the security log is open');
  const { disks, ...stores } = await openStores(folder, { log, now }, opened);
  const token = (): string => stores.config.master.config.provider.api_token;
  opened.add(recordSecurityEvents({ events: stores.events, log: security, token }));
  const pinger = new Pinger({ ping: pingServer, periods: limits.pings, now });
  const nodes = await openNodes({ options, folder, cluster, known: { ...stores, pinger, disks } }, opened);
  const { registry, runtimeOf, adoptions } = nodes;
  const topics = new Topics();
  const onState = (): void => topics.publish('way-in');
  const { linkTiming } = options;
  const sharedFiles = new SharedFiles(folder.files, (error) =>
    log.warn({ err: error }, 'shared files could not be read'),
  );
  opened.add(() => sharedFiles.close());
  const known = { ...stores, sharedFiles, folder, cluster, log, now };
  const playerEntry = await openPlayerEntry({ ...known, linkTiming, onState });
  opened.add(() => playerEntry.close());
  opened.add(stores.events.onAdd(() => topics.publish('activity')));
  for (const { id, problem } of stores.volumes.damaged)
    emitVolumeEvent(stores.events, id, {
      kind: 'volume.failed',
      message: `Volume ${id} cannot be used`,
      cause: problem.message,
    });
  opened.add(stores.volumes.onChange(() => topics.publish('volumes')));
  const keep = keepStrayData({ ...stores, adoptions, runtimeOf, now, log });
  const unsaved = await openUnsavedFiles(join(folder.state, 'unsaved-files.json'));
  const parts: LoopContext = {
    now,
    log,
    limits,
    pinger,
    topics,
    moveMark: new MoveMark(join(folder.root, MOVE_MARK_PATH)),
    ...stores,
    registry,
    runtimeOf,
    adoptions,
    keeper: nodes.own,
    consoleLogs: nodes.logs,
    keptFiles: nodes.logs.kept,
    fileCalls: fileCallSlots(),
    sharedFiles,
    evictions: new Evictions({ runtimeOf, log, keep, stored: unsaved }),
    startBackoffs: new StartBackoffs(limits.backoff),
    nodeBackoff: new NodeBackoff(limits.backoff),
    ...playerEntry,
  };
  return { parts, nodes, cluster, security, disks };
}

/** Opens the data on disk: configuration, state and history. */
async function openStores(
  folder: DataFolder,
  { log, now }: Pick<Environment, 'now' | 'log'>,
  opened: CloseStack,
): Promise<
  Omit<Documents, 'sharedFiles'> &
    Pick<NodeAccess, 'nodeTimes' | 'costs'> &
    Pick<ServiceStores, 'records' | 'volumes'> &
    Pick<Feed, 'events'> & { readonly disks: DiskReserves }
> {
  const events = await EventLog.open(join(folder.state, 'activity.jsonl'), now);
  opened.add(() => events.close());
  const config = await ConfigStore.open(folder.root, (error) =>
    log.error({ err: error }, 'the configuration on disk could not be read'),
  );
  opened.add(() => config.close());
  const records = await RecordStore.open(join(folder.state, 'services.json'));
  const disks = new DiskReserves(() => reserveBytesOf(config.master.config));
  const templates = await openTemplateFolders({
    root: folder.templates,
    revisions: folder.revisions,
    disks,
    isUsed: (id, revision) => records.of(id).some(({ placed }) => placed?.revision === revision),
  });
  opened.add(() => templates.close());
  for (const id of config.templates.keys()) await templates.create(id);
  const settings = () => config.master.config.volumes;
  const volumes = await Volumes.open({
    folder: folder.volumes,
    copies: folder,
    disks,
    settings,
    now,
    revisionOf: async (id) => {
      const { revision } = templates.state(id);
      return revision === null ? null : templates.lease(id, revision);
    },
    onUnremoved: (error, path) =>
      log.error({ err: error, path }, 'the files of a deleted volume could not be removed'),
  });
  opened.add(() => volumes.close());
  const overrides = await Overrides.open(join(folder.state, 'holds.json'));
  const nodeTimes = await NodeTimes.open(join(folder.state, 'node-times.json'), now);
  const costs = await CostStore.open(folder.state, { log, now });
  return { events, config, records, volumes, templates, overrides, nodeTimes, costs, disks };
}

/**
 * Returns the cluster's id. The id is stored next to the configuration, so that it survives the loss of the state
 * folder.
 */
export async function clusterId(configFolder: string): Promise<string> {
  const path = join(configFolder, 'cluster.json');
  const schema = z.object({ id: z.string().min(8) });
  const file = await openJsonFile(path, schema.nullable(), null);
  if (file.data === null) await file.update(() => ({ id: randomUUID() }));
  return schema.parse(file.data).id;
}

const pingServer: Ping = async ({ host, port, proxyProtocol }) => {
  const result = await statusPing({ host, port, timeoutMs: PING_TIMEOUT_MS, proxyHeader: proxyProtocol });
  return result.kind === 'answer' ? { players: result.players } : null;
};
