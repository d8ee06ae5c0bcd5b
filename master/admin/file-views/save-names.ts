import { fullNameOf, timeNameOf } from '#shared/model/file-views.ts';
import type { Save } from '#shared/model/volume.ts';

/**
 * Returns the names that clients see for the saves of a volume. A name is the time of the save in UTC. If another
 * save has the same second, a part of the id follows.
 *
 * Example: `2026-11-28_02.52.24`, `2026-11-28_02.52.24-3f9c1a`.
 */
export function namesOfSaves(saves: readonly Save[]): ReadonlyMap<string, Save> {
  const times = saves.map((save) => timeNameOf(isoTimeOf(save)));
  return new Map(
    saves.map((save, index) => {
      const time = times[index] ?? '';
      return [
        times.filter((one) => one === time).length === 1 ? time : fullNameOf(isoTimeOf(save), save.save),
        save,
      ];
    }),
  );
}

/**
 * Finds a save by the name that clients see. A name that contains a part of the id stays valid after the other saves
 * of the same second were removed. A name that contains only the time means the newest save of its second.
 *
 * @param saves newest first
 */
export function saveByName(saves: readonly Save[], name: string): Save | undefined {
  return saves.find((save) => {
    const isoTime = isoTimeOf(save);
    return name === timeNameOf(isoTime) || name === fullNameOf(isoTime, save.save);
  });
}

function isoTimeOf({ at }: Save): string {
  return new Date(at).toISOString();
}
