import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNIT } from '#master/doctor/service-unit.ts';
import { changeFile } from '../../machine/replace-file.ts';

/** Returns the path of the unit file in a program's folder. */
function packagedUnit(program: string): string {
  return join(program, 'system', `${UNIT}.service`);
}

/**
 * Returns whether a unit file is exactly the unit file of one of these programs, so that no admin has changed it.
 * False if there is no unit file.
 */
export async function isPackagedUnit(file: string, programs: readonly string[]): Promise<boolean> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => null);
  const text = await read(file);
  const packaged = await Promise.all(programs.map((program) => read(packagedUnit(program))));
  return text !== null && packaged.includes(text);
}

/**
 * Replaces a unit file with that of a program. After a power failure, the file has either its complete old content or
 * its complete new content. Keeps its mode.
 *
 * @throws errno errors
 */
export async function putPackagedUnit(file: string, program: string): Promise<void> {
  const text = await readFile(packagedUnit(program), 'utf8');
  await changeFile(file, () => text);
}
