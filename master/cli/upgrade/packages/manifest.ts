import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({ name: z.string(), version: z.string().min(1) });

/**
 * Reads the name and version of a program from its package.json, without running the program. When the program runs,
 * it reports the same version.
 *
 * @param program folder of the program
 * @throws Error if the file cannot be read, or states no version
 */
export async function readManifest(program: string): Promise<z.infer<typeof manifestSchema>> {
  const text = await readFile(join(program, 'package.json'), 'utf8');
  return manifestSchema.parse(JSON.parse(text));
}
