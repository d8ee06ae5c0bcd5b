import { join } from 'node:path';
import { z } from 'zod';
import { lastLines } from '../machine/run-program.ts';
import type { Problem } from '../commands/check.ts';
import type { AsUser } from '../machine/as-user.ts';

const problemsSchema = z.array(
  z.object({ severity: z.enum(['mistake', 'warning']), file: z.string(), problem: z.string() }),
);

/**
 * Lets a version of the master check a data folder, as the master's user. The check also performs the migrations of
 * that version.
 *
 * @param program folder of the program
 * @param data data folder that no master uses
 * @throws Error if the program does not run, or does not know this check
 */
export async function checkWith(program: string, data: string, as: AsUser): Promise<readonly Problem[]> {
  const args = [join(program, 'index.js'), 'check', '--state', '--json', '--data', data];
  const result = await as.run(join(program, 'bin', 'node'), args);
  try {
    return problemsSchema.parse(JSON.parse(result.stdout));
  } catch {
    const why = lastLines(result, 3) || `exit code ${result.code}`;
    throw new Error(`its check of the data does not work: ${why}`);
  }
}
