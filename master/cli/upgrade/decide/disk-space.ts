/** Space that an upgrade needs in a folder. */
export interface SpaceNeed {
  readonly folder: string;
  /** Id of the file system that contains the folder. */
  readonly device: number;
  /** Free space on that file system (bytes). */
  readonly free: number;
  readonly bytes: number;
}

/** Space that must stay free on each file system (bytes), for the master and the rest of the system. */
const MARGIN_BYTES = 64 * 1_048_576;

const MB = 1_000_000;

/**
 * Decides whether there is enough space. Needs on the same file system are added up, and 64 MiB must remain free.
 *
 * @returns what is missing, as the end of a sentence; null if there is enough
 */
export function findShortage(needs: readonly SpaceNeed[]): string | null {
  for (const { device, folder, free } of needs) {
    const together = needs.filter((need) => need.device === device);
    const needed = together.reduce((sum, { bytes }) => sum + bytes, MARGIN_BYTES);
    if (free < needed)
      return `the disk of ${folder} has ${Math.floor(free / MB)} MB free, but the upgrade needs ${Math.ceil(needed / MB)} MB`;
  }
  return null;
}
