/** Files that this master can provide to services. */
export interface Supplies {
  /** Overworld's plugin. Null if this master has none; `missing` contains the reason. */
  readonly pluginJar: Buffer | null;
  /** Why there is no plugin, as one sentence; null if there is one. */
  readonly missing: string | null;
}
