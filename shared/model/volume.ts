import { z } from 'zod';
import { templateOfService, type ServiceId } from './service-id.ts';

/**
 * `<template>/<number>`: the volume of the service `<template>-<number>` (docs/specification.md#persistentpaths).
 */
export const volumeIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}\/[1-9][0-9]{0,9}$/);
export type VolumeId = z.infer<typeof volumeIdSchema>;

/** Id of a stored save: the hash of its manifest. Saves of equal data have the same id. */
export const saveIdSchema = z.string().regex(/^[0-9a-f]{16}$/);

/**
 * Returns the volume of a service.
 *
 * Example: `survival-1` → `survival/1`.
 */
export function volumeOfService(id: ServiceId): VolumeId {
  const template = templateOfService(id);
  return `${template}/${id.slice(template.length + 1)}`;
}

/**
 * Returns the service that a volume belongs to.
 *
 * Example: `survival/1` → `survival-1`.
 */
export function serviceOfVolume(id: VolumeId): ServiceId {
  return id.replace('/', '-');
}

/** Returns the template of a volume. */
export function templateOfVolume(id: VolumeId): string {
  return id.slice(0, id.indexOf('/'));
}

/** A save of a volume. Saves never change. Times are ms since epoch. */
export const saveSchema = z.strictObject({
  save: saveIdSchema,
  /** The point in time of the saved data. */
  at: z.int(),
  files: z.int(),
  bytes: z.int(),
  /**
   * Whether the server had completely written its worlds at that moment, because it had exited or had been asked to
   * write them. False: the files are as a crash would leave them. Null: unknown, for example after an import.
   */
  consistent: z.boolean().nullable(),
  /** Why the save was made, such as `requested by alice`. */
  cause: z.string(),
  /** Node from which the data comes. Null if the data comes from no node. */
  node: z.string().nullable(),
  /** Whether the next service starts from this save. */
  current: z.boolean(),
});
export type Save = z.infer<typeof saveSchema>;

/** Returns the save from which the next service starts. Null if there is none; there may be separate saves then. */
export function currentSave(saves: readonly Save[]): Save | null {
  return saves.find(({ current }) => current) ?? null;
}

/**
 * Volume: the data that one service of a template with persistent paths keeps, as the admin API returns it. Times are
 * ms since epoch.
 */
export const volumeSchema = z.strictObject({
  id: volumeIdSchema,
  /** Size of the newest save (bytes), and its number of files; 0 if there is no save. */
  bytes: z.int(),
  files: z.int(),
  /** Number of stored saves. */
  saves: z.int(),
  /** Disk space on the master that all saves of the volume use (bytes). */
  storedBytes: z.int(),
  /** The newest save, from which the next service starts. Null if there is none. */
  lastSave: saveSchema.nullable(),
  /**
   * The only service that may change the volume, and the node with the volume's newest data. Null if the newest save
   * contains all data.
   */
  attached: z
    .strictObject({
      service: z.string(),
      node: z.string(),
      since: z.int(),
      /**
       * Point in time of the data that was last saved from this node. Null if nothing was saved from the node yet. In
       * this case, all data since `since` may be unsaved.
       */
      savedAt: z.int().nullable(),
    })
    .nullable(),
  /** Whether a save is being made. */
  saving: z.boolean(),
  /** Time of the next regular save. Null if no service runs on the volume. */
  nextSaveAt: z.int().nullable(),
  /** Why the last save failed, and what to do, in one or two sentences. Null if it did not fail. */
  problem: z.string().nullable(),
  /**
   * A quota is nearly reached: one or two sentences that say what to do before saves begin to fail. Null if no quota
   * is nearly reached.
   */
  warning: z.string().nullable(),
});
export type Volume = z.infer<typeof volumeSchema>;
