import { mkdir, stat } from 'node:fs/promises';
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
  /** Working copies that are being filled or removed. On the disk of {@link workingCopies}. */
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
 * Creates the data folder and its subfolders (mode 0700) where they are missing. Checks that other users cannot
 * access the data folder, because it contains keys, tokens and consoles.
 *
 * @throws OverworldError DATA_FOLDER_UNSAFE if a folder cannot be created, or if other users can access it
 */
export async function openDataFolder(root: string): Promise<DataFolder> {
  const folder = dataFolderAt(root);
  try {
    for (const path of Object.values<string>({ ...folder }))
      await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new OverworldError(
      'DATA_FOLDER_UNSAFE',
      { path: root, why: `cannot be created: ${reason(cause)}` },
      cause,
    );
  }
  const { mode } = await stat(root);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const why = `is accessible to other users of this machine (mode ${(mode & 0o777).toString(8)}); run: chmod 700 ${root}`;
    throw new OverworldError('DATA_FOLDER_UNSAFE', { path: root, why });
  }
  return folder;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
