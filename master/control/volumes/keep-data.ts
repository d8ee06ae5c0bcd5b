import { isPersistent } from '#shared/config/template.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { isAttachedTo, lossMs, placeOfSave, type Attachment } from '#master/core/volumes/attachment.ts';
import type { Exit, ServiceSpec } from '#master/runtime/runtime.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { hasExitedCleanly } from '../services/exit.ts';
import { addedPaths, keepAddedPaths } from './added-paths.ts';
import { saveService, type SavedService } from './save-service.ts';
import { emitLoss, emitVolumeEvent } from './volume-events.ts';

type Known = Pick<ServiceStores, 'volumes'> &
  Pick<NodeAccess, 'runtimeOf'> &
  Pick<Environment, 'now' | 'log'> &
  Pick<Feed, 'events'>;

/** Codes of errors that are already in the activity log, or in the problems that the window shows. */
const REPORTED = [
  ...(['VOLUME_SAVE_FAILED', 'VOLUME_QUOTA', 'VOLUME_DAMAGED', 'SEPARATE_SAVES_LIMIT'] as const),
  ...(['DISK_FULL', 'DISK_RESERVED'] as const),
];

/**
 * Thrown if the data of a service that has exited could not be saved. The data stays in the service's folder. The
 * cause is the error of the save.
 */
export class DataUnsaved extends Error {
  /** Whether people already know the cause, so that it need not be logged each time. */
  readonly isReported: boolean;

  constructor(service: ServiceId, cause: unknown) {
    super(`the data of ${service} could not be saved`, { cause });
    this.isReported = REPORTED.some((code) => hasCode(cause, code));
  }
}

/** A service that has exited, and whose data is saved. */
export interface EndedService extends SavedService {
  /** How its server exited. Null: unknown. */
  readonly exit: Exit | null;
}

/**
 * Reports whether a service may have data to keep. Returns true if it is unknown from which files and values the
 * service was started, for example after a restart of the master.
 *
 * @param spec the files and values from which the service was started, as its node reports them; undefined if it was
 *   not observed
 */
export function mayKeep(
  record: Pick<ServiceRecord, 'id' | 'template' | 'placed' | 'node'>,
  context: Pick<ServiceStores, 'volumes'> & Pick<Documents, 'config'>,
  spec?: Pick<ServiceSpec, 'persistentPaths'>,
): boolean {
  const { id, placed, node } = record;
  const values = placed?.values ?? spec;
  if (values === undefined || isPersistent(values) || addedPaths(record, context).length > 0) return true;
  return node !== null && isAttachedTo(context.volumes.of(id)?.attachment ?? null, id, node);
}

/**
 * Saves the persistent files of an exited service, as {@link keepData} does, from the node that the service's record
 * names. If persistent paths were added to the template after the service was started, the files at these paths are
 * saved, too.
 *
 * @throws DataUnsaved
 */
export async function keepDataOf(
  record: Pick<ServiceRecord, 'id' | 'template' | 'placed'>,
  ended: Omit<EndedService, 'service'>,
  context: Known & Pick<Documents, 'config'>,
): Promise<void> {
  const saved = { service: record.id, ...ended };
  const store = async (): Promise<void> => {
    await keepAddedPaths(record, ended.node, context);
    await storeData(saved, context);
  };
  await storeOrGiveUp(saved, store, context).catch((error: unknown) => {
    throw new DataUnsaved(record.id, error);
  });
}

/**
 * Saves the persistent files of an exited service, and detaches its volume from the node. Call it before you remove
 * the service's files, and remove them only if the call succeeds. If an admin has accepted the loss of the data, the
 * call succeeds even if the data cannot be saved.
 *
 * @throws OverworldError VOLUME_SAVE_FAILED, VOLUME_QUOTA, VOLUME_DAMAGED, SEPARATE_SAVES_LIMIT, DISK_FULL,
 *   DISK_RESERVED, NODE_UNREACHABLE
 */
export async function keepData(saved: EndedService, context: Known): Promise<void> {
  await storeOrGiveUp(saved, () => storeData(saved, context), context);
}

async function storeOrGiveUp(
  { service, node }: SavedService,
  store: () => Promise<void>,
  { volumes, events, log }: Known,
): Promise<void> {
  try {
    await store();
  } catch (error) {
    const volume = volumes.of(service);
    const attachment = volume?.attachment ?? null;
    if (volume === undefined || !isAttachedTo(attachment, service, node) || attachment?.lossAccepted !== true)
      throw error;
    log.warn({ err: error, service, node }, 'data is given up, because an admin accepted its loss');
    const lostMs = await volume.detach(service, node);
    if (lostMs !== null) emitLoss(events, volume.id, { lostMs, cause: 'an admin accepted the loss' });
  }
}

async function storeData(saved: EndedService, context: Known): Promise<void> {
  const { service, node, cause, exit } = saved;
  const { volumes, events, now } = context;
  const runtime = context.runtimeOf(node);
  // A volume is created only if the service has files to keep.
  if (volumes.of(service) === undefined && !(await runtime.takeSnapshot(service))) return;
  const volume = await volumes.make(service);
  // The volume has no saves, because the master has lost its data. The files on the node are the only version.
  if (volume.attachment === null && !volume.hasSaves) await volume.attach(service, node, true);
  // The stop of a service is tried every second, and its files may be large. A recent failure is therefore reported
  // again without another save, for a time that may grow.
  const recentFailure = volume.failure.recentOn(node);
  if (recentFailure !== null) throw recentFailure;
  const isWriter = placeOfSave(volume.attachment, service, node) === 'newest';
  const known = new Set(volume.saves().map(({ save }) => save));
  // A server that was killed or has crashed may have left files that are only partly written.
  const consistent = exit !== null && hasExitedCleanly(exit);
  const takeSnapshot = async () => ((await runtime.takeSnapshot(service)) ? { at: now(), consistent } : null);
  const save = await saveService({ volume, service, node, cause, exited: true, takeSnapshot }, context);
  if (!isWriter && save !== null && !known.has(save.save))
    emitVolumeEvent(events, volume.id, asideEvent(saved, save.save));
  await volume.detach(service, node);
}

function asideEvent({ service, node }: EndedService, save: string) {
  const message = `${node} had data of ${service} that is not in its volume; it is stored as the earlier save ${save}`;
  const cause = `${service} was started elsewhere meanwhile, or its volume was changed. Restore this save if you need its data`;
  return { kind: 'volume.saved', message, cause } as const;
}

/**
 * Detaches the volume of a service whose process and files no longer exist on its node, and reports what was lost.
 *
 * @param cause why they no longer exist
 */
export async function loseData(
  { service, node, cause }: { readonly service: ServiceId; readonly node: string; readonly cause: string },
  { volumes, events }: Pick<ServiceStores, 'volumes'> & Pick<Feed, 'events'>,
): Promise<void> {
  const volume = volumes.of(service);
  const lostMs = (await volume?.detach(service, node)) ?? null;
  if (volume !== undefined && lostMs !== null) emitLoss(events, volume.id, { lostMs, cause });
}

/**
 * Gives up the data of a volume that cannot be saved, because an admin accepts the loss. If the volume's node has
 * files of the exited service, this function only stores that the loss is accepted. {@link keepData} later tries once
 * more to save the files, and detaches the volume even if that fails. If the node has no such files, this function
 * detaches the volume at once.
 *
 * @param loss.attachment the attachment whose data is given up
 * @param loss.hasFiles whether its node answers and has files of the exited service
 * @returns the length of the period from which data may be lost (ms). Null if the volume is not attached or nothing
 *   can be lost
 */
export async function giveUpData(
  volume: Volume,
  loss: { readonly attachment: Attachment; readonly hasFiles: boolean; readonly actor: string },
  { events, now }: Pick<Environment, 'now'> & Pick<Feed, 'events'>,
): Promise<number | null> {
  const { attachment, hasFiles, actor } = loss;
  if (hasFiles) {
    await volume.acceptLoss();
    return lossMs(attachment, now());
  }
  const lostMs = await volume.detach(attachment.service, attachment.node);
  if (lostMs !== null) emitLoss(events, volume.id, { lostMs, cause: `${actor} accepted the loss`, actor });
  return lostMs;
}
