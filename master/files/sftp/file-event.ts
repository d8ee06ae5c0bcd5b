/** Something a person changed over SFTP. Paths are virtual (`/templates/lobby/server.jar`), as text. */
export interface FileEvent {
  readonly kind: 'files.written' | 'files.deleted' | 'files.renamed';
  readonly path: string;
  /** Where it went; for `files.renamed` alone. */
  readonly to?: string;
  /** The template whose folder it is in, or null for shared files. */
  readonly template: string | null;
  /** Name of the key. */
  readonly actor: string;
}

/** Told after the change was carried out. Must not throw; a burst of thousands is normal. */
export type OnFileEvent = (event: FileEvent) => void;
