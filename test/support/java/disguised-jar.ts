import { execFileSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { practiceServerJar } from '../players/practice-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/**
 * The practice server under another name: the master takes it for that software and gives it what that needs, and a test
 * plays the plugin in it.
 */
export async function disguisedJar(title: string): Promise<string> {
  const folder = temporaryFolder();
  const [jar, manifest] = [join(folder, 'server.jar'), join(folder, 'manifest')];
  await copyFile(await practiceServerJar(), jar);
  await writeFile(manifest, `Implementation-Title: ${title}\n`);
  execFileSync('jar', ['ufm', jar, manifest], { stdio: 'pipe' });
  return jar;
}
