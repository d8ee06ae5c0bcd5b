import { execFileSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { practiceServerJar } from '../players/practice-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/**
 * Copies the jar of the practice server, and sets this title in its manifest. The master recognizes the jar as the
 * software with this title. The test itself plays the role of the plugin.
 */
export async function disguisedJar(title: string): Promise<string> {
  return disguisedJarIn(temporaryFolder(), title);
}

/** Makes the same jar in this folder, with the name `server.jar`. */
export async function disguisedJarIn(folder: string, title: string): Promise<string> {
  const [jar, manifest] = [join(folder, 'server.jar'), join(folder, 'manifest')];
  await copyFile(await practiceServerJar(), jar);
  await writeFile(manifest, `Implementation-Title: ${title}\n`);
  execFileSync('jar', ['ufm', jar, manifest], { stdio: 'pipe' });
  return jar;
}
