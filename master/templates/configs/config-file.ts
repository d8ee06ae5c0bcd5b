/** A file of a service's folder, read and written as latin1: every byte stays as it is, whatever its encoding. */
export interface ConfigFile {
  /** Relative to the service's folder. */
  readonly path: string;
  readonly text: string;
}
