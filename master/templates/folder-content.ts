import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerJar } from '#shared/model/template.ts';
import { diskCode } from './disk-problem.ts';
import { readJar } from './jar-info.ts';
import { scanFolder, type SeenFile } from './revisions/scan-folder.ts';
import type { ServerJarFacts } from './template-files.ts';

/** Path of the `java` program in a template that contains its own Java runtime. */
const OWN_JAVA = 'jre/bin/java';

/** Summary of the files in a template's folder. */
export interface FolderContent {
  readonly files: number;
  readonly bytes: number;
  /** The file `server.jar`; null if there is none. */
  readonly jar: ServerJar | null;
  /** Whether the folder contains a Java runtime in `jre/`. */
  readonly bringsJava: boolean;
  /** Oldest Java (feature version) that starts `server.jar`; null if unknown. */
  readonly needsJava: number | null;
  /**
   * Reason why no service can be started from the content, as one sentence. Null if a service can be started, or if
   * only server.jar is missing.
   */
  readonly problem: string | null;
}

export const NO_CONTENT: FolderContent = {
  files: 0,
  bytes: 0,
  jar: null,
  bringsJava: false,
  needsJava: null,
  problem: null,
};

/** Returns the content of a folder that cannot be used. @param why the problem that the scan found */
export function unusable(why: string): FolderContent {
  return { ...NO_CONTENT, problem: `Its folder cannot be used: ${why}.` };
}

/**
 * Describes the content that a scan found.
 *
 * @param seen the files that the scan found
 * @param place path of the folder with these files: the template's folder or a stored copy of it
 */
export async function describeContent(seen: readonly SeenFile[], place: string): Promise<FolderContent> {
  const files = seen.filter(({ path }) => !path.endsWith('/'));
  return {
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    bringsJava: files.some(({ path }) => path === OWN_JAVA),
    ...(await describeJar(seen, place)),
  };
}

/**
 * Examines a template's folder as the master does before a start, but stores nothing. Used by the command line. A
 * missing folder counts as empty, because the master creates it.
 */
export async function examineFolder(root: string): Promise<FolderContent> {
  const isMissing = await lstat(root).then(
    () => false,
    (error: unknown) => diskCode(error) === 'ENOENT',
  );
  if (isMissing) return NO_CONTENT;
  const scan = await scanFolder(root);
  return scan.kind === 'ok' ? describeContent(scan.files, root) : unusable(scan.problem);
}

async function describeJar(
  seen: readonly SeenFile[],
  place: string,
): Promise<Pick<FolderContent, 'jar' | 'needsJava' | 'problem'>> {
  const { software, ...facts } = await readServerJar(seen, place);
  const file = seen.find(({ path }) => path === 'server.jar');
  if (file === undefined) return { jar: null, ...facts };
  return { jar: { bytes: file.size, modifiedAt: Math.round(file.modifiedAtMs), software }, ...facts };
}

/**
 * Reads what the `server.jar` among the files of a folder states about itself. Without this file, nothing is known.
 *
 * @throws errno errors
 */
export async function readServerJar(
  files: readonly Pick<SeenFile, 'path'>[],
  place: string,
): Promise<ServerJarFacts & Pick<FolderContent, 'problem'>> {
  const unknown = { software: null, needsJava: null };
  if (!files.some(({ path }) => path === 'server.jar')) {
    const isFolder = files.some(({ path }) => path.startsWith('server.jar/'));
    const problem = isFolder ? 'server.jar is a folder; it must be the server software itself.' : null;
    return { ...unknown, problem };
  }
  const reading = await readJar(join(place, 'server.jar'));
  if (reading.kind === 'jar') {
    const { software, needsJava } = reading;
    return { software, needsJava, problem: null };
  }
  return { ...unknown, problem: `server.jar cannot be started: ${reading.why}. Upload it again.` };
}
