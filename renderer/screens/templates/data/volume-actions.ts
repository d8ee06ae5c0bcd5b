import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Volume } from '#shared/model/volume.ts';
import { durationWords } from '#shared/text/duration.ts';
import { serviceOfVolume } from '#shared/model/volume.ts';
import { call } from '../../../bridge/bridge.ts';
import { volumes } from '../../../stores/volumes.svelte.ts';
import { toasts } from '../../../ui/overlay/toasts.svelte.ts';
import { toBytes, toCountOf } from '../../../view/format/numbers.ts';

/** Saves a volume now and shows the result. A failure becomes a message that stays. */
export async function saveVolume(id: Volume['id']): Promise<void> {
  const saving = call('volumes.save', { id });
  // Shows "Saving" at once instead of when the save is done.
  void volumes.refresh();
  try {
    const { files, bytes } = await saving;
    toasts.done(`Volume ${id} saved: ${toCountOf(files, 'file')}, ${toBytes(bytes)}`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void volumes.refresh();
  }
}

/** Deletes a volume with its saves. @throws OverworldError VOLUME_IN_USE, VOLUME_NOT_FOUND */
export async function deleteVolume(id: Volume['id']): Promise<void> {
  await call('volumes.delete', { id });
  toasts.done(`Volume ${id} deleted`);
  await volumes.refresh();
}

/**
 * Gives up the newest data of a volume, and shows how much time the lost changes cover. @throws OverworldError
 * VOLUME_NOT_LOST
 */
export async function acceptLoss(id: Volume['id']): Promise<void> {
  const { lostMs } = await call('volumes.attach', { id, acceptLoss: true });
  const service = serviceOfVolume(id);
  toasts.done(
    lostMs === null
      ? `${service} starts from its last save`
      : `${service} starts from its last save. Lost: up to ${durationWords(lostMs)}`,
  );
  await volumes.refresh();
}
