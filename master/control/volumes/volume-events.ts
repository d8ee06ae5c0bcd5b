import type { EventKind } from '#shared/model/event.ts';
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

/** Writes an event that data since the last save is lost, with the longest time that it can be about. */
export function emitLoss(
  events: EventLog,
  volume: VolumeId,
  loss: { readonly lostMs: number; readonly cause: string; readonly actor?: string },
): void {
  const { lostMs, ...why } = loss;
  const message = `${serviceOfVolume(volume)} lost what was written since its last save: up to ${durationWords(lostMs)}`;
  emitVolumeEvent(events, volume, { kind: 'volume.lost', message, ...why });
}

/**
 * Formats a duration with its two largest units, rounded up to seconds.
 *
 * Example: 380,000 → `6 min 20 s`.
 */
export function durationWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, length]) => seconds >= length);
  let left = seconds;
  const parts = units
    .slice(first === -1 ? 3 : first, (first === -1 ? 3 : first) + 2)
    .flatMap(([name, length]) => {
      const count = Math.floor(left / length);
      left -= count * length;
      return count > 0 ? [`${count} ${name}`] : [];
    });
  return parts.length === 0 ? '0 s' : parts.join(' ');
}
