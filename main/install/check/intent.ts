/** What is to be done on the server. */
export interface Intent {
  readonly kind: 'install' | 'update' | 'move';
  /** Version of the master in the package (semver). */
  readonly version: string;
  /** Port of the master's SSH server; null to keep it. */
  readonly masterPort: number | null;
  readonly haproxy: boolean;
  readonly openPorts: boolean;
  /** Host key of the master that is to be updated or moved; null if it is not known or a master is to be installed. */
  readonly masterHostKey: string | null;
  /** What is known of the master that is to be moved to this server. Null for other kinds. */
  readonly leaving: MasterToMove | null;
}

/** A master that is to be moved to another server. */
export interface MasterToMove {
  /** Size of its data (KiB); null if that is not known. */
  readonly dataKib: number | null;
  /** Whether it runs. False if an earlier attempt to move it has stopped it. */
  readonly isRunning: boolean;
}
