import type { TemplateFiles, TemplateId, TemplateRevision } from '#shared/model/template.ts';
import type { RevisionEntry } from './revisions/manifest.ts';
import type { RevisionChanges } from './revisions/revision-changes.ts';

/** Read access to a stored revision. The revision is kept until the lease is released. */
export interface RevisionLease {
  /** Entries of the manifest, sorted by path. */
  readonly entries: readonly RevisionEntry[];
  /** Returns the location of a file's content. The content must not be modified. */
  pathOf(path: string): string;
  /** Releases the lease. Further calls do nothing. */
  release(): void;
}

/** A file to put into a template's folder: a copy of a file on this machine, or a text. */
export type NewFile =
  { readonly name: string; readonly copyOf: string } | { readonly name: string; readonly text: string };

/** State of a template's folder, including parts that the app does not display. */
export interface FolderState extends TemplateFiles {
  /** Whether the folder was changed a moment ago. In that case `revision` is still the previous one. */
  readonly changing: boolean;
  /** sha256 of `server.jar` in the revision, in hex. Null if there is none. */
  readonly jarHash: string | null;
  /**
   * The newest content from which services can start. While the folder cannot be used, this is the content before.
   * Null if there is none, or before the first scan.
   */
  readonly usable: UsableContent | null;
}

/** A revision from which services can start, and what its `server.jar` states. */
export interface UsableContent extends ServerJarFacts {
  readonly revision: string;
}

/** What the `server.jar` of a service states about itself. */
export interface ServerJarFacts {
  /** Software, as in `ServerJar.software`; null if unknown. */
  readonly software: string | null;
  /** Oldest Java (feature version) that starts the jar; null if unknown. */
  readonly needsJava: number | null;
}

/**
 * Folders of all templates. Services are never created from such a folder, because it may be changing. Its content
 * is first stored as an immutable revision, named by the hash of the folder's manifest, and services are created
 * from that copy (docs/adr/0017).
 */
export interface TemplateFolders {
  /** Creates the template's empty folder. Does nothing if it exists. */
  create(id: TemplateId): Promise<void>;
  /** @throws OverworldError TEMPLATE_EXISTS if there is a folder with files; TEMPLATE_UNREADABLE */
  requireUnused(id: TemplateId): Promise<void>;
  /**
   * Creates the template's folder with files. The folder appears with all files, or not at all.
   *
   * @throws OverworldError TEMPLATE_EXISTS (there is a folder with files), DISK_FULL, DISK_RESERVED,
   *   TEMPLATE_UNREADABLE
   */
  createWith(id: TemplateId, files: readonly NewFile[]): Promise<void>;
  /**
   * Writes files into the template's folder, over existing ones, while no scan runs and no user changes the folder.
   * At any time, each file has either its complete old content or its complete new content.
   *
   * @returns the revision with all changes before the call; null if services could not start from the folder
   * @throws OverworldError DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE (changes to the folder do not stop, or a
   *   folder has the name of a file)
   */
  put(id: TemplateId, files: readonly NewFile[]): Promise<string | null>;
  /** Deletes the folder and the stored revisions. Does nothing if they do not exist. */
  remove(id: TemplateId): Promise<void>;
  /** Returns the current state without disk access. */
  state(id: TemplateId): FolderState;
  /** Subscribes to changes of any folder's state. @returns a function that unsubscribes */
  onChange(listener: (id: TemplateId) => void): () => void;
  /**
   * Copies a stored revision to a folder that must not exist yet. Uses reflinks if the file system supports them.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE if the revision is no longer stored
   */
  materialize(id: TemplateId, revision: string, destination: string): Promise<void>;
  /**
   * Opens a stored revision to read individual files, for example to send them to a node.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE if the revision is no longer stored
   */
  lease(id: TemplateId, revision: string): Promise<RevisionLease>;
  /** Lists the stored revisions, newest first; none if the folder does not exist. */
  revisions(id: TemplateId): Promise<TemplateRevision[]>;
  /** Compares two stored revisions. @throws OverworldError REVISION_NOT_FOUND */
  compare(
    id: TemplateId,
    revisions: { readonly from: string; readonly to: string },
  ): Promise<RevisionChanges>;
  /**
   * Restores a stored revision in the folder; the content before the call becomes an earlier revision. Services start
   * from the previous revision until the folder is complete again, even after a crash.
   *
   * @throws OverworldError REVISION_NOT_FOUND, DISK_FULL, TEMPLATE_UNREADABLE (the folder contains something that
   *   cannot be stored, or changes to it do not stop)
   */
  restore(id: TemplateId, revision: string): Promise<void>;
  /**
   * Creates the folder of template `to` with the current content of the folder of template `from`.
   *
   * @throws OverworldError TEMPLATE_EXISTS (the folder of `to` exists), TEMPLATE_UNREADABLE, DISK_FULL. In that case
   *   no folder is created
   */
  duplicate(from: TemplateId, to: TemplateId): Promise<void>;
  /** Stops watching the folders. */
  close(): Promise<void>;
}
