import type { TemplateFiles, TemplateId } from '#shared/model/template.ts';

/** What is known of a template's folder beside what the app is shown. */
export interface FolderState extends TemplateFiles {
  /** Written to a moment ago; the revision is the one before. */
  readonly changing: boolean;
  /** It has a Java runtime of its own in `jre/`: its services need none on the node. */
  readonly bringsJava: boolean;
}

/**
 * The folders of all templates. Content is used only as an immutable revision: the hash of the folder's manifest
 * names it, and services are made from a stored copy of it, never from a folder somebody is writing to (design 3).
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
  /** Stops watching. */
  close(): Promise<void>;
}
