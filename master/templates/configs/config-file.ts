/** File in a service's folder, read and written as latin1, so that every byte is preserved whatever the encoding. */
export interface ConfigFile {
  /** Path relative to the service's folder. */
  readonly path: string;
  readonly text: string;
}
