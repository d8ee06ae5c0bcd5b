/**
 * A file in a service's folder. It is read and written as latin1, so that every byte is preserved, whatever its
 * encoding.
 */
export interface ServiceConfigFile {
  /** Path relative to the service's folder. */
  readonly path: string;
  readonly text: string;
}
