/** What a job does on the server. */
export interface Intent {
  readonly kind: 'install' | 'update' | 'move';
  /** Version of the master in the package (semver). */
  readonly version: string;
  /** Port of the master's SSH server. Null keeps the current port. */
  readonly masterPort: number | null;
  readonly haproxy: boolean;
  readonly openPorts: boolean;
  /** Host key of the master that the job updates or moves. Null for an installation, or if the key is not known. */
  readonly masterHostKey: string | null;
  /** The master that the job moves to this server. Null for an installation or an update. */
  readonly leaving: MasterToMove | null;
}

/** A master that a job moves to another server. */
export interface MasterToMove {
  /** Size of the master's data (KiB). Null if the size is not known. */
  readonly dataKib: number | null;
  /** Whether the master runs. False if an earlier attempt to move it has stopped it. */
  readonly isRunning: boolean;
}
