import { z } from 'zod';
import { retentionSchema } from './settings.ts';

/** One file, folder or symbolic link of a folder that people edit. */
export const treeEntrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('folder'), path: z.string(), mode: z.int() }),
  z.object({ type: z.literal('link'), path: z.string(), target: z.string() }),
  z.object({
    type: z.literal('file'),
    path: z.string(),
    mode: z.int(),
    size: z.int(),
    modifiedAtMs: z.number(),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
]);
export type TreeEntry = z.infer<typeof treeEntrySchema>;

/** Folders that people edit. A backup contains a list of their entries, and their contents as objects. */
export const EDITED_FOLDERS = ['templates', 'files'] as const;

/** Folders that a backup contains as plain copies. */
export const PLAIN_FOLDERS = ['config', 'state'] as const;

/**
 * Folders that contain revision stores. A backup contains the records of the revisions, and their contents as
 * objects.
 */
export const REVISION_FOLDERS = ['volumes', 'revisions'] as const;
export type RevisionFolder = (typeof REVISION_FOLDERS)[number];

/** Folder with the objects of a backup. */
export const OBJECTS = 'objects';

/** Returns the folder with the objects of a folder of revision stores that was on a disk of its own. */
export function ownObjects(name: RevisionFolder): string {
  return `disk-of-${name}/${OBJECTS}`;
}

/** Version of the layout of backups. */
export const FORMAT = 1;

export const manifestSchema = z.object({
  format: z.int(),
  /** Version of the master that made the backup. */
  version: z.string(),
  /** When the backup was made (ms since epoch). */
  createdAt: z.int(),
  objects: z.int(),
  remarks: z.array(z.string()),
  /** Rules by which older backups were removed. Missing in backups of earlier versions. */
  retention: retentionSchema.optional().catch(undefined),
});
/** The document `manifest.json` of a backup. */
export type BackupManifest = z.infer<typeof manifestSchema>;
