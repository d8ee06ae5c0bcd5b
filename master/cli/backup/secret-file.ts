import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { CliOutput } from '../context.ts';
import { printable } from '../table.ts';

/** Mode bits that give rights to users other than the owner. */
const OTHERS = 0o077;

/**
 * Returns the text of a file with secrets. The value of an option is the path of the file, or `-` for standard input.
 * Warns if other users have rights on the file. Undefined if the option is not given.
 *
 * @throws OverworldError BACKUP_FILE_INVALID
 */
export async function readSecretFile(
  path: string | undefined,
  output: CliOutput,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (path === '-') return text(process.stdin);
  try {
    const content = await readFile(path, 'utf8');
    const mode = (await stat(path)).mode & 0o777;
    const advice = `Delete it, or give the rights to its owner only: chmod 600 ${path}`;
    if ((mode & OTHERS) !== 0)
      output.err(
        printable(`Other users of this machine have rights on ${path} (mode ${mode.toString(8)}). ${advice}`),
      );
    return content;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OverworldError('BACKUP_FILE_INVALID', { path, why }, error);
  }
}
