import { execFileSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { practiceServerJar } from '../players/practice-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/**
 * Builds the practice server with this title in its manifest. The master takes the jar for the software of that title.
 * The test itself plays the role of the plugin.
 */
export async function disguisedJar(title: string): Promise<string> {
  return disguisedJarIn(temporaryFolder(), title);
}

/** Builds the jar in this folder. */
export async function disguisedJarIn(folder: string, title: string): Promise<string> {
  const [jar, manifest] = [join(folder, 'server.jar'), join(folder, 'manifest')];
  await copyFile(await practiceServerJar(), jar);
  await writeFile(manifest, `Implementation-Title: ${title}\n`);
  execFileSync('jar', ['ufm', jar, manifest], { stdio: 'pipe' });
  return jar;
}
