import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Folder of the node tool. */
export const TOOL = join(import.meta.dirname, '../../../master/runtime/systemd/tool');

/**
 * Runs lines of Python in the same way as the node tool. The lines can import the modules of the tool.
 *
 * @param lines can use the modules `os` and `sys`
 * @param args arguments in `sys.argv[1:]`
 * @returns the standard output
 */
export async function runToolPython(lines: string, ...args: string[]): Promise<string> {
  const program = `import os, sys\nos.umask(0o077)\nsys.path.insert(0, ${JSON.stringify(TOOL)})\n${lines}`;
  const { stdout } = await promisify(execFile)('python3', ['-I', '-S', '-B', '-c', program, ...args]);
  return stdout;
}
