import type { EventKind } from '#shared/model/event.ts';
import { durationWords } from '#shared/text/duration.ts';
import { serviceOfVolume, templateOfVolume, type VolumeId } from '#shared/model/volume.ts';
import { OVERWORLD } from '#master/state/feed/emit-event.ts';
import type { EventLog } from '#master/store/event-log.ts';

/** Writes an event about a volume to the activity log. Its subject is the service that the volume belongs to. */
export function emitVolumeEvent(
  events: EventLog,
  volume: VolumeId,
  happening: {
    readonly kind: Extract<EventKind, `volume.${string}`>;
    readonly message: string;
    readonly cause: string;
    readonly actor?: string;
  },
): void {
  const { kind, message, cause, actor = OVERWORLD } = happening;
  const subject = { type: 'service', id: serviceOfVolume(volume) } as const;
  events.add({ kind, subject, template: templateOfVolume(volume), actor, message, cause });
}

/**
 * Writes an event about the loss of all data since the last save. The event contains the maximum time since this
 * save.
 */
export function emitLoss(
  events: EventLog,
  volume: VolumeId,
  loss: { readonly lostMs: number; readonly cause: string; readonly actor?: string },
): void {
  const { lostMs, ...why } = loss;
  // The duration is at the start, because narrow cards cut the end off.
  const message = `${serviceOfVolume(volume)} lost up to ${durationWords(lostMs)} of data: what was written since its last save`;
  emitVolumeEvent(events, volume, { kind: 'volume.lost', message, ...why });
}
