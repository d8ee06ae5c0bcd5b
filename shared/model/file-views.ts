import { serviceIdSchema, templateOfService } from './service-id.ts';

/**
 * Folders in the root of the master's file area that show files which the master keeps or reaches elsewhere: the folders of
 * running services, and the saves of volumes (docs/files.md#services-and-volumes). They are read-only.
 */
export const fileViews = ['services', 'volumes'] as const;
export type FileViewName = (typeof fileViews)[number];

/** Folder in a volume with its earlier saves. It is not listed, so that a copy of the volume does not contain all of them. */
export const EARLIER_SAVES = '.saves';

const reasons: Readonly<Record<FileViewName, string>> = {
  services:
    'Files of running services are read-only here. To keep changes for later services, copy the files to the template',
  volumes: 'Saves are read-only. To change a world, download it, and import the changed copy',
};

/** Returns the view that is, or contains, a canonical path of the file area, such as `/services/lobby-1`. Null if none does. */
export function viewOf(path: string): FileViewName | null {
  const first = path.split('/')[1];
  return fileViews.find((name) => name === first) ?? null;
}

/** Returns why nothing in a view can be changed, as a sentence without a full stop. */
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
