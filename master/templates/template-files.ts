import type { TemplateFiles, TemplateId, TemplateRevision } from '#shared/model/template.ts';
import type { ManifestEntry } from './revisions/manifest.ts';
import type { RevisionChanges } from './revisions/revision-changes.ts';

/** A right to read a stored revision: it is kept until it is released. */
export interface RevisionLease {
  /** Sorted by path. */
  readonly entries: readonly ManifestEntry[];
  /** Where the content of one of its files lies. Nobody changes it, and nobody may. */
  pathOf(path: string): string;
  /** Gives the right back. Once is enough. */
  release(): void;
}

/** What is known of a template's folder beside what the app is shown. */
export interface FolderState extends TemplateFiles {
  /** Written to a moment ago; the revision is the one before. */
  readonly changing: boolean;
  /** It has a Java runtime of its own in `jre/`: its services need none on the node. */
  readonly bringsJava: boolean;
}

/**
 * The folders of all templates. Content is used only as an immutable revision: the hash of the folder's manifest
 * names it, and services are made from a stored copy of it, never from a folder somebody is writing to (docs/adr/0017).
 */
export interface TemplateFolders {
  /** Makes the template's empty folder. Making an existing one is fine. */
  create(id: TemplateId): Promise<void>;
  /** Deletes folder and stored revisions. Deleting a missing one is fine. */
  remove(id: TemplateId): Promise<void>;
  /** What is known of the folder now, without touching the disk. */
  state(id: TemplateId): FolderState;
  /** Calls back when any state changed. @returns a function that unsubscribes */
  onChange(listener: (id: TemplateId) => void): () => void;
  /**
   * Copies a stored revision (reflinks where the file system can) to a folder that must not exist yet.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE when that revision is not stored any more
   */
  materialize(id: TemplateId, revision: string, destination: string): Promise<void>;
  /**
   * Opens a stored revision to be read file by file, as to send it to a node.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE when that revision is not stored any more
   */
  lease(id: TemplateId, revision: string): Promise<RevisionLease>;
  /** Contents of the folder that are kept, newest first; none for a folder that does not exist. */
  revisions(id: TemplateId): Promise<TemplateRevision[]>;
  /** What differs between two kept contents. @throws OverworldError REVISION_NOT_FOUND */
  compare(
    id: TemplateId,
    revisions: { readonly from: string; readonly to: string },
  ): Promise<RevisionChanges>;
  /**
   * Puts the folder back to a kept content; what stands there now becomes an earlier one. Services start from what
   * was there before until the folder is whole again, also after a crash.
   *
   * @throws OverworldError REVISION_NOT_FOUND, DISK_FULL, TEMPLATE_UNREADABLE (it holds what cannot be kept, or people
   *   go on writing to it)
   */
  restore(id: TemplateId, revision: string): Promise<void>;
  /**
   * Makes another template's folder with the same content.
   *
   * @throws OverworldError TEMPLATE_EXISTS (there is such a folder), TEMPLATE_UNREADABLE, DISK_FULL; then there is none
   */
  duplicate(from: TemplateId, to: TemplateId): Promise<void>;
  /** Stops watching. */
  close(): Promise<void>;
}
