import type { Save } from '#shared/model/volume.ts';
import { timeName } from '../time-name.ts';

/** Number of characters of a save's id that distinguish saves of the same second. */
const ID_LENGTH = 6;

/**
 * Returns the name of each save among the earlier saves of its volume: its time in UTC, followed by a part of its id if
 * another save is of the same second.
 *
 * Example: `2026-11-28_02.52.24`, `2026-11-28_02.52.24-3f9c1a`.
 */
export function namesOfSaves(saves: readonly Save[]): ReadonlyMap<string, Save> {
  const times = saves.map(({ at }) => timeName(at));
  return new Map(
    saves.map((save, index) => {
      const time = times[index] ?? '';
      return [times.filter((one) => one === time).length === 1 ? time : withId(time, save), save];
    }),
  );
}

/**
 * Finds a save by its name. The name with its id stays valid when the other save of that second is removed; the name
 * without it means the newest save of that second.
 *
 * @param saves newest first
 */
export function saveByName(saves: readonly Save[], name: string): Save | undefined {
  return saves.find((save) => {
    const time = timeName(save.at);
    return name === time || name === withId(time, save);
  });
}

function withId(time: string, { save }: Save): string {
  return `${time}-${save.slice(0, ID_LENGTH)}`;
}
