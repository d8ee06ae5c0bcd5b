/** What this master has to give to services. */
export interface Supplies {
  /** Overworld's plugin; null: this master has none, see `missing`. */
  readonly pluginJar: Buffer | null;
  /** Why there is no plugin, one sentence; null when there is. */
  readonly missing: string | null;
}
