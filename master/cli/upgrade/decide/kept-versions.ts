/** Maximum number of earlier versions that are kept. */
export const MAX_KEPT = 2;

/** A version that was installed before. */
export interface KeptVersion {
  readonly version: string;
  /** Time at which the version was replaced (ms since epoch). */
  readonly keptAt: number;
}

/** Returns the kept versions to delete: all except the {@link MAX_KEPT} versions that were replaced last. */
export function superfluousVersions(kept: readonly KeptVersion[]): string[] {
  return [...kept]
    .sort((a, b) => b.keptAt - a.keptAt)
    .slice(MAX_KEPT)
    .map(({ version }) => version);
}
