/** A change that a user made over SFTP. Paths are virtual (`/templates/lobby/server.jar`) and decoded to text. */
export interface FileEvent {
  readonly kind: 'files.written' | 'files.deleted' | 'files.renamed';
  readonly path: string;
  /** New path, in the same template; only for `files.renamed`. */
  readonly to?: string;
  /** Template to which the file belongs, or null for shared files. */
  readonly template: string | null;
  /** Name of the user's SSH key. */
  readonly actor: string;
}

/** Returns the template to which the file at a virtual path belongs, or null for shared files. */
export function templateOfPath(path: string): string | null {
  const [, area, name] = path.split('/');
  return area !== 'files' && name !== undefined ? name : null;
}

/**
 * Called after a change was carried out. Must not throw, and must be fast enough for thousands of consecutive calls.
 */
export type OnFileEvent = (event: FileEvent) => void;
