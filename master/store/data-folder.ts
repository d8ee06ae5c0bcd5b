import { mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Paths of a master's data folder (`root`) and of its subfolders. */
export interface DataFolder {
  readonly root: string;
  readonly config: string;
  readonly state: string;
  /** Template folders, as people see and edit them. */
  readonly templates: string;
  /** Immutable copies of template folders, from which services start. */
  readonly revisions: string;
  /** Downloaded server software. It can be deleted while no master runs. */
  readonly software: string;
  /** Persistent files of services, with their saves (volumes). */
  readonly volumes: string;
  /**
   * Changes of volumes that people made over SFTP and that are not part of a save yet: a working copy of a volume in
   * `<template>/<number>/`. The SSH service can write here.
   */
  readonly workingCopies: string;
  /** Working copies that are being filled or removed. This folder is on the same disk as {@link workingCopies}. */
  readonly incoming: string;
  /** Shared files, which templates use through `defaultServiceFiles`. */
  readonly files: string;
  /** Working folders of services on this machine. */
  readonly services: string;
  /** Console logs. */
  readonly logs: string;
  /** Java runtimes that the master has downloaded. */
  readonly java: string;
  /** Settings and state of the backups, and their secrets. This folder itself is not part of backups. */
  readonly backup: string;
}

/** Returns the paths of a data folder without accessing the disk. */
export function dataFolderAt(root: string): DataFolder {
  const at = (name: string): string => join(root, name);
  return {
    root,
    config: at('config'),
    state: at('state'),
    templates: at('templates'),
    revisions: at('revisions'),
    software: at('software'),
    volumes: at('volumes'),
    workingCopies: at('working-copies'),
    incoming: at('incoming'),
    files: at('files'),
    services: at('services'),
    logs: at('logs'),
    java: at('java'),
    backup: at('backup'),
  };
}

/**
 * Subfolders in which the SSH service can write (docs/design/file-service.md). It could also replace them by links.
 */
const VISIBLE = ['templates', 'files', 'workingCopies'] as const;

/**
 * Creates the data folder and its subfolders (mode 0700) where they are missing. Checks that other users cannot
 * access the data folder, because it contains keys, tokens and consoles.
 *
 * @param options.hasSshService whether an SSH service can write in some of the folders. These folders must then not
 *   be links
 * @returns the paths; the paths of subfolders contain no links
 * @throws OverworldError DATA_FOLDER_UNSAFE if a folder cannot be created, if other users can access it, or if a
 *   folder must not be a link
 */
export async function openDataFolder(
  root: string,
  { hasSshService = false }: { readonly hasSshService?: boolean } = {},
): Promise<DataFolder> {
  const folder = dataFolderAt(root);
  const real: DataFolder = { ...folder, ...(await realSubfolders(folder)) };
  const { mode } = await stat(root);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const why = `is accessible to other users of this machine (mode ${(mode & 0o777).toString(8)}); run: chmod 700 ${root}`;
    throw new OverworldError('DATA_FOLDER_UNSAFE', { path: root, why });
  }
  const plain = dataFolderAt(await realpath(root));
  const linked = hasSshService ? VISIBLE.find((name) => real[name] !== plain[name]) : undefined;
  if (linked !== undefined) {
    const why = `is a link to ${real[linked]}, which the SSH service may have created; make it a folder, or mount a disk there`;
    throw new OverworldError('DATA_FOLDER_UNSAFE', { path: folder[linked], why });
  }
  return real;
}

/** Creates the subfolders, and returns their real paths. */
async function realSubfolders({ root, ...subfolders }: DataFolder): Promise<Omit<DataFolder, 'root'>> {
  const real: Record<keyof typeof subfolders, string> = { ...subfolders };
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const name of Object.keys(subfolders) as (keyof typeof subfolders)[]) {
      await mkdir(subfolders[name], { recursive: true, mode: 0o700 });
      real[name] = await realpath(subfolders[name]);
    }
  } catch (cause) {
    const why = `cannot be created: ${reason(cause)}`;
    throw new OverworldError('DATA_FOLDER_UNSAFE', { path: root, why }, cause);
  }
  return real;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
