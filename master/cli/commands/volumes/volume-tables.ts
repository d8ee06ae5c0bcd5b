import type { Save, Volume } from '#shared/model/volume.ts';
import { durationWords } from '#shared/text/duration.ts';
import { formatSeconds, formatTable, inMb } from '../../table.ts';

/** Formats volumes as a table. `now` is in ms since epoch. */
export function volumesTable(volumes: readonly Volume[], now: number): string {
  if (volumes.length === 0)
    return 'No volumes. A template gets them when it has persistent paths and its first service has started.';
  return formatTable(
    ['VOLUME', 'SIZE', 'SAVES', 'ON DISK', 'LAST SAVE', 'USED BY'],
    volumes.map(({ id, bytes, saves, storedBytes, lastSave, attached, saving }) => [
      id,
      inMb(bytes),
      saves,
      inMb(storedBytes),
      lastSave === null
        ? 'none'
        : `${durationWords(Math.max(0, now - lastSave.at))} ago${saving ? ', saving now' : ''}`,
      attached === null ? '' : `${attached.service} on ${attached.node}`,
    ]),
  );
}

/** Formats the saves of a volume as a table. */
export function savesTable(saves: readonly Save[]): string {
  if (saves.length === 0) return 'No saves.';
  return formatTable(
    ['SAVE', 'TIME (UTC)', 'SIZE', 'FILES', 'WORLDS', 'NODE', 'CAUSE'],
    saves.map(({ save, at, bytes, files, consistent, node, cause, current }) => [
      `${save}${current ? ' (current)' : ''}`,
      formatSeconds(at),
      inMb(bytes),
      files,
      consistent === null ? '' : consistent ? 'complete' : 'as after a crash',
      node ?? '',
      cause,
    ]),
  );
}
