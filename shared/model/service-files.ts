import { z } from 'zod';

/** Maximum number of entries in one page of {@link serviceFilesSchema}. */
export const MAX_LISTED_FILES = 1000;

/** Maximum number of bytes of a service's file that one request reads. */
export const MAX_PIECE_BYTES = 524_288;

/**
 * A path in a service's folder, relative to this folder and separated by `/`. The empty path is the folder itself. No
 * part of the path is empty, `.` or `..`.
 */
export const servicePathSchema = z
  .string()
  .max(4096)
  .refine(isServicePath, 'is not a path inside the folder of a service');

/**
 * Returns whether a path stays inside a service's folder: each part of the path passes {@link isFileName}. The empty
 * path is valid, because it is the folder itself.
 */
export function isServicePath(path: string): boolean {
  return path === '' || path.split('/').every(isFileName);
}

/** Returns whether a text can be the name of one file: at most 255 bytes, without `/`, and neither `.` nor `..`. */
export function isFileName(name: string): boolean {
  // Each UTF-16 unit needs at most three bytes in UTF-8, so names of up to 85 units always fit.
  const short = name.length <= 85 || new TextEncoder().encode(name).length <= 255;
  return name !== '' && name !== '.' && name !== '..' && short && !/[/\0]/.test(name);
}

/** An entry of a folder of a service. Links and special files are listed, but cannot be read. */
export const serviceFileSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(['file', 'folder', 'other']),
  /** Size of a file; 0 for the other kinds. */
  bytes: z.int().nonnegative(),
  /** Time of the last change (ms since epoch). */
  changedAt: z.int(),
});
export type ServiceFile = z.infer<typeof serviceFileSchema>;

/** One page of a folder, sorted by name. `more`: whether further entries follow. */
export const serviceFilesSchema = z.strictObject({
  entries: z.array(serviceFileSchema).max(MAX_LISTED_FILES),
  more: z.boolean(),
});
export type ServiceFiles = z.infer<typeof serviceFilesSchema>;

/** A file that was kept when a service ended: a crash report or a log. */
export const keptFileSchema = z.strictObject({
  /** Path in the service's folder, such as `crash-reports/crash-2026-11-24_18.40.07-server.txt`. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  /** Time of the last change in the service's folder (ms since epoch). */
  changedAt: z.int(),
  /**
   * Whether the file was kept completely. If not, only the end of a log or the beginning of a crash report was kept.
   */
  whole: z.boolean(),
});
export type KeptFile = z.infer<typeof keptFileSchema>;

/** The files that were kept at one end of a service. A service that was restarted has ended several times. */
export const keptRunSchema = z.strictObject({
  /** Time at which the service's folder was removed (ms since epoch). */
  endedAt: z.int(),
  files: z.array(keptFileSchema),
});
export type KeptRun = z.infer<typeof keptRunSchema>;

/** Result of copying a service's files. */
export const serviceCopySchema = z.strictObject({
  files: z.int(),
  bytes: z.int(),
  /** Paths that were not copied: links, special files, and files that were deleted or not readable. */
  skipped: z.array(z.string()),
  /** Paths of files that changed while they were copied, so that their copies may be inconsistent. */
  changed: z.array(z.string()),
});
export type ServiceCopy = z.infer<typeof serviceCopySchema>;
