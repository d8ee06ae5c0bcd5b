import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersIn, LOST_AND_FOUND } from './list-tree.ts';

/** Subfolders of the data folder that contain only documents of the master. */
const FOLDERS = ['config', 'state'] as const;

/**
 * Documents in other subfolders of the data folder; `*` stands for one name. Files that the master writes once and
 * never changes, such as the records of revisions and saves, are no documents: a newer version leaves them as they
 * are.
 */
const ELSEWHERE = [
  'backup/restored.json',
  'backup/settings.json',
  'backup/status.json',
  'volumes/*/*/volume.json',
] as const;

/** Path or pattern of a document that a newer version may change, relative to the data folder. */
export type DocumentInFolder = `${(typeof FOLDERS)[number]}/${string}`;
/** Pattern of the documents outside of `config/` and `state/`, relative to the data folder. */
export type DocumentElsewhere = (typeof ELSEWHERE)[number];

const SUBFOLDERS = new Set([...FOLDERS, ...ELSEWHERE].map(subfolderOf));

/** Reports whether a path, relative to the data folder, is in a subfolder that contains documents of the master. */
export function isInDocumentFolder(path: string): boolean {
  return SUBFOLDERS.has(subfolderOf(path));
}

function subfolderOf(path: string): string {
  return path.replace(/\/.*/, '');
}

/**
 * Lists everything in a data folder that a newer version of the master may change when it starts: folders with all
 * their content, and single documents.
 *
 * @returns existing paths, relative to the data folder
 * @throws errno errors
 */
export async function documentPaths(data: string): Promise<string[]> {
  const found = [
    ...FOLDERS.map((name) => folderPaths(data, name)),
    ...ELSEWHERE.map((pattern) => matchingPaths(data, pattern)),
  ];
  return (await Promise.all(found)).flat();
}

/** Returns the path of a folder. If a disk is mounted there, returns the paths of its content. */
async function folderPaths(data: string, name: string): Promise<string[]> {
  const path = join(data, name);
  const names = existsSync(path) ? await readdir(path) : null;
  if (names?.includes(LOST_AND_FOUND) !== true) return names === null ? [] : [name];
  return names.filter((one) => one !== LOST_AND_FOUND).map((one) => join(name, one));
}

/**
 * Lists the existing paths in a data folder that match a pattern, in which `*` stands for one name. The paths are
 * relative to the data folder.
 *
 * @throws errno errors
 */
export async function matchingPaths(data: string, pattern: string): Promise<string[]> {
  let paths = [''];
  for (const part of pattern.split('/')) {
    const next = paths.map(async (path) => {
      const names = part === '*' ? await foldersIn(join(data, path)) : [part];
      return names.map((name) => join(path, name));
    });
    paths = (await Promise.all(next)).flat();
  }
  return paths.filter((path) => existsSync(join(data, path)));
}
