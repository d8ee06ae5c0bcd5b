import type { InstalledFacts, PackageFacts, PackageKind } from '../decide/acceptance.ts';

/** An unpacked package with complete content. */
export interface OpenedPackage {
  readonly facts: PackageFacts;
  /** Folder of the unpacked program. */
  readonly program: string;
  /** Mark that identifies the content of the package. */
  readonly mark: string;
}

/** The installed program. */
export interface InstalledProgram extends InstalledFacts {
  /** Mark that identifies the content of its package. */
  readonly mark: string;
  /** Whether the program was installed completely. */
  readonly isComplete: boolean;
}

/** One form of the master's packages: how such a package is read, made and installed. All methods need root. */
export interface Packaging {
  readonly kind: PackageKind;
  /** Folder into which {@link Packaging.open} unpacks. */
  readonly unpackFolder: string;
  /** Returns facts about the installed program. */
  installed(): Promise<InstalledProgram>;
  /**
   * Returns the size that a package has when it is unpacked (bytes).
   *
   * @throws OverworldError COMMAND_FAILED if the file is damaged
   */
  unpackedBytes(file: string): Promise<number>;
  /**
   * Unpacks a package into {@link Packaging.unpackFolder} and checks that it is complete.
   *
   * @throws OverworldError COMMAND_FAILED if the file is damaged; Error with a reason if it is not a package of the
   *   master
   */
  open(file: string): Promise<OpenedPackage>;
  /**
   * Waits while another program installs packages.
   *
   * @throws OverworldError COMMAND_FAILED if it takes too long
   */
  untilFree(): Promise<void>;
  /** Makes a package from the installed files. */
  pack(file: string): Promise<void>;
  /**
   * Replaces the installed files. A running master keeps running with its old files.
   *
   * @param file the package; {@link Packaging.open} must have unpacked it before
   * @returns a note for the person; null if there is none
   * @throws OverworldError COMMAND_FAILED
   */
  install(file: string): Promise<string | null>;
  /**
   * Replaces the installed files with those of the previous version, whether or not {@link Packaging.install} has
   * succeeded. Does nothing if the previous version is installed.
   *
   * @param file package of the previous version
   * @param mark mark of that version's content
   */
  goBack(file: string, mark: string): Promise<void>;
}
