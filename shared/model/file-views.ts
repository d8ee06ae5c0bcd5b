import { serviceIdSchema, templateOfService } from './service-id.ts';
import type { Save, VolumeId } from './volume.ts';

/**
 * Folders in the root of the master's file area whose content is stored elsewhere: the files of running services, and
 * the saves of volumes (docs/files.md#services-and-volumes). Only the last save of a volume can be changed, and only
 * while no service uses the volume.
 */
export const fileViews = ['services', 'volumes'] as const;
export type FileViewName = (typeof fileViews)[number];

/**
 * Name of the folder in a volume that contains its earlier saves. The folder is not listed, so that a copy of the
 * volume does not contain all earlier saves.
 */
export const EARLIER_SAVES = '.saves';

/** Number of characters of a save's id that distinguish saves of the same second. */
const ID_LENGTH = 6;

/**
 * Returns a time in UTC as the name of a file or folder. Used for a copy of a service's files, and for an earlier
 * save if it is the only save of that second.
 *
 * Example: `timeNameOf('2026-11-28T02:52:24.123Z')` is `2026-11-28_02.52.24`.
 */
export function timeNameOf(isoTime: string): string {
  return isoTime.slice(0, 19).replace('T', '_').replaceAll(':', '.');
}

/**
 * Returns the full name of a save: its time and the start of its id. This name is unique even if several saves are
 * from the same second.
 *
 * Example: `2026-11-28_02.52.24-3f9c1a`.
 */
export function fullNameOf(isoTime: string, save: Save['save']): string {
  return `${timeNameOf(isoTime)}-${save.slice(0, ID_LENGTH)}`;
}

/**
 * Returns the path of the folder with the files of a save, in the master's file area.
 *
 * @param isoTime time of the save (UTC)
 */
export function pathOfSave(volume: VolumeId, isoTime: string, save: Save['save']): string {
  return `/volumes/${volume}/${EARLIER_SAVES}/${fullNameOf(isoTime, save)}`;
}

const reasons: Readonly<Record<FileViewName, string>> = {
  services:
    'Files of running services are read-only here. To keep changes for later services, copy the files to the template',
  volumes:
    'Earlier saves are read-only. Restore one to change it, or change the last save, in the folder of the volume',
};

/**
 * Returns the view to which a canonical path of the file area belongs: the path is the view's folder or inside it,
 * such as `/services/lobby-1`. Null if the path belongs to no view.
 */
export function viewOf(path: string): FileViewName | null {
  const first = path.split('/')[1];
  return fileViews.find((name) => name === first) ?? null;
}

/**
 * Returns the reason why files in a view are read-only, as a sentence without a full stop. In the view `volumes`,
 * this is the reason for earlier saves.
 */
export function readOnlyReason(view: FileViewName): string {
  return reasons[view];
}

/**
 * Returns the template to which a folder at the top of a view belongs. In `services`, the folder's name must be a
 * service id; otherwise, the result is null. In `volumes`, the folder's name is always the template.
 *
 * Example: `services`, `bedwars-2-7` → `bedwars-2`.
 */
export function templateInView(view: FileViewName, name: string): string | null {
  if (view === 'volumes') return name;
  const id = serviceIdSchema.safeParse(name);
  return id.success ? templateOfService(id.data) : null;
}
