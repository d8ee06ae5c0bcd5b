import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Save } from '#shared/model/volume.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { SaveTarget, TakenFiles } from '#master/volumes/taken-files.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { emitVolumeEvent } from './volume-events.ts';

/**
 * Takes a snapshot of a service's files. Resolves to null if there is nothing to keep. `at`: time of the snapshot (ms
 * since epoch). `consistent`: whether the files were written completely.
 */
export type TakeSnapshot = () => Promise<{ readonly at: number; readonly consistent: boolean } | null>;

/** A service whose data is saved, with its node and the reason for the save. */
export interface SavedService {
  readonly service: ServiceId;
  readonly node: string;
  readonly cause: string;
}

/** A save to carry out: the service, the volume that stores the save, and the function that takes the snapshot. */
export interface ServiceSave extends SavedService {
  /** Whether the service has exited. After a failure, `LastFailure.recentOn` then delays the next attempt. */
  readonly exited: boolean;
  readonly volume: Volume;
  readonly takeSnapshot: TakeSnapshot;
}

/**
 * Saves the volume of a service: takes a snapshot on the node, transfers the data that the newest save does not
 * contain, and stores it. Resolves when the save is on the master's disk. Writes an event if the save fails for a new
 * reason.
 *
 * @returns null if there is nothing to save
 * @throws OverworldError VOLUME_SAVE_FAILED, VOLUME_QUOTA, SEPARATE_SAVES_LIMIT, DISK_FULL, DISK_RESERVED. The data
 * on the node and the earlier saves are unchanged then
 */
export async function saveService(
  { volume, takeSnapshot, ...saved }: ServiceSave,
  context: Pick<NodeAccess, 'runtimeOf'> & Pick<Environment, 'log'> & Pick<Feed, 'events'>,
): Promise<Save | null> {
  const { service, node } = saved;
  try {
    const runtime = context.runtimeOf(node);
    const take = async (target: SaveTarget): Promise<TakenFiles | null> => {
      const taken = await takeSnapshot();
      return taken === null ? null : collect({ ...taken, service, runtime, target }, context);
    };
    return await volume.save(saved, take, async (result) => {
      try {
        await runtime.endSnapshot(service, result);
      } catch (error) {
        // The next snapshot of the service removes the copies.
        context.log.warn({ err: error, service }, 'the copies of a snapshot could not be removed');
      }
    });
  } catch (thrown) {
    const failed = toSaveError(thrown, volume, node);
    if (volume.noteProblem(saved, failed)) {
      const message = `The data of ${service} could not be saved`;
      emitVolumeEvent(context.events, volume.id, { kind: 'volume.failed', message, cause: failed.message });
    }
    throw failed;
  }
}

async function collect(
  {
    service,
    runtime,
    target,
    at,
    consistent,
  }: {
    readonly service: ServiceId;
    readonly runtime: Runtime;
    readonly target: SaveTarget;
    readonly at: number;
    readonly consistent: boolean;
  },
  { log }: Pick<Environment, 'log'>,
): Promise<TakenFiles> {
  const { files, skipped } = await runtime.readSnapshot(service);
  if (skipped.length > 0)
    log.warn({ service, skipped: skipped.slice(0, 10) }, 'links and special files are not kept');
  await target.requireAllowed(files);
  const missing = await target.missing(files);
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  await target.use(bytes, () => runtime.fetchSnapshot(service, missing, target.folder));
  return { files, at, consistent };
}

/** Codes of errors that already explain why a volume was not saved. They are passed on unchanged. */
const PASSED_ON = [
  ...(['VOLUME_QUOTA', 'SEPARATE_SAVES_LIMIT', 'VOLUME_SAVE_FAILED'] as const),
  ...(['DISK_FULL', 'DISK_RESERVED'] as const),
];

function toSaveError(thrown: unknown, { id }: Volume, node: string): OverworldError {
  if (PASSED_ON.some((code) => hasCode(thrown, code))) return toOverworldError(thrown);
  const { message } = toOverworldError(thrown);
  const why = message.replace(/\.$/, '');
  return new OverworldError('VOLUME_SAVE_FAILED', { volume: id, node, why }, thrown);
}
