import type { InstalledFacts, PackageFacts, PackageKind } from '../decide/acceptance.ts';

/** A package that was unpacked and whose content is complete. */
export interface OpenedPackage {
  readonly facts: PackageFacts;
  /** Folder of the program in it. */
  readonly program: string;
  /** Identifies its content. */
  readonly mark: string;
}

/** One form of the master's packages: how it is read, made and installed. All methods need root. */
export interface Packaging {
  readonly kind: PackageKind;
  /** Folder into which {@link Packaging.open} unpacks. */
  readonly unpackFolder: string;
  /** Returns what is installed, and what identifies its content. */
  installed(): Promise<InstalledFacts & { readonly mark: string }>;
  /**
   * Returns the size of a package when it is unpacked (bytes).
   *
   * @throws OverworldError COMMAND_FAILED if the file is damaged
   */
  unpackedBytes(file: string): Promise<number>;
  /**
   * Unpacks a package into {@link Packaging.unpackFolder} and checks that it is complete.
   *
   * @throws OverworldError COMMAND_FAILED if the file is damaged; Error with a reason if it is another package
   */
  open(file: string): Promise<OpenedPackage>;
  /** Makes a package of the installed files. */
  pack(file: string): Promise<void>;
  /**
   * Replaces the installed files. A running master keeps running with the old ones.
   *
   * @param file the package, which must be open
   * @returns a note for the person; null if there is none
   * @throws OverworldError COMMAND_FAILED
   */
  install(file: string): Promise<string | null>;
  /**
   * Replaces the installed files by those of the previous version, however {@link Packaging.install} has ended.
   *
   * @param file package of that version
   * @param mark of that version's content
   */
  goBack(file: string, mark: string): Promise<void>;
}
