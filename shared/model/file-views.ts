import { serviceIdSchema, templateOfService } from './service-id.ts';
import type { Save, VolumeId } from './volume.ts';

/**
 * Folders in the root of the master's file area that show files which the master keeps or reaches elsewhere: the folders of
 * running services, and the saves of volumes (docs/files.md#services-and-volumes). Only the last save of a volume can be changed, while no
 * service uses it.
 */
export const fileViews = ['services', 'volumes'] as const;
export type FileViewName = (typeof fileViews)[number];

/** Folder in a volume with its earlier saves. It is not listed, so that a copy of the volume does not contain all of them. */
export const EARLIER_SAVES = '.saves';

/** Number of characters of a save's id that distinguish saves of the same second. */
const ID_LENGTH = 6;

/**
 * Returns a time in UTC as the name of a file or folder: of a copy of a service's files, and of an earlier save if no other
 * save is of the same second.
 *
 * Example: `timeNameOf('2026-11-28T02:52:24.123Z')` is `2026-11-28_02.52.24`.
 */
export function timeNameOf(isoTime: string): string {
  return isoTime.slice(0, 19).replace('T', '_').replaceAll(':', '.');
}

/**
 * Returns the name of a save that is valid in any case.
 *
 * Example: `2026-11-28_02.52.24-3f9c1a`.
 */
export function fullNameOf(isoTime: string, save: Save['save']): string {
  return `${timeNameOf(isoTime)}-${save.slice(0, ID_LENGTH)}`;
}

/** Returns the path of the folder with the files of a save of this time (UTC), in the master's file area. */
export function pathOfSave(volume: VolumeId, isoTime: string, save: Save['save']): string {
  return `/volumes/${volume}/${EARLIER_SAVES}/${fullNameOf(isoTime, save)}`;
}

const reasons: Readonly<Record<FileViewName, string>> = {
  services:
    'Files of running services are read-only here. To keep changes for later services, copy the files to the template',
  volumes:
    'Earlier saves are read-only. Restore one to change it, or change the last save, in the folder of the volume',
};

/** Returns the view that is, or contains, a canonical path of the file area, such as `/services/lobby-1`. Null if none does. */
export function viewOf(path: string): FileViewName | null {
  const first = path.split('/')[1];
  return fileViews.find((name) => name === first) ?? null;
}

/** Returns why a view, or its part with the earlier saves, cannot be changed, as a sentence without a full stop. */
export function readOnlyReason(view: FileViewName): string {
  return reasons[view];
}

/**
 * Returns the template to which a folder at the top of a view belongs. Null if the name is no service id; in `volumes`,
 * the name is the template, whatever it is.
 *
 * Example: `services`, `bedwars-2-7` → `bedwars-2`.
 */
export function templateInView(view: FileViewName, name: string): string | null {
  if (view === 'volumes') return name;
  const id = serviceIdSchema.safeParse(name);
  return id.success ? templateOfService(id.data) : null;
}
