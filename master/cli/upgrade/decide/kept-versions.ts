/** How many versions before the installed one are kept. */
export const MAX_KEPT = 2;

/** A version that was installed before. */
export interface KeptVersion {
  readonly version: string;
  /** When it was replaced (ms since epoch). */
  readonly keptAt: number;
}

/** Returns the kept versions that are to be deleted: all but the {@link MAX_KEPT} that were replaced last. */
export function superfluousVersions(kept: readonly KeptVersion[]): string[] {
  return [...kept]
    .sort((a, b) => b.keptAt - a.keptAt)
    .slice(MAX_KEPT)
    .map(({ version }) => version);
}
