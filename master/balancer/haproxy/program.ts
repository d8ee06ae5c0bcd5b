import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Folders in which the program usually is. The PATH of users often does not contain them. */
const USUAL = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];
/** Maximum time of a check (ms). During a check, HAProxy reads all files and certificates of a configuration. */
const TIMEOUT_MS = 20_000;
/** Maximum size of the output (bytes). */
const MOST_OUTPUT = 1_048_576;

/**
 * Finds the HAProxy executable in PATH or in the usual folders.
 *
 * @returns null if this machine has none
 */
export async function findProgram(path = process.env['PATH'] ?? ''): Promise<string | null> {
  if (process.platform === 'win32') return null;
  for (const folder of [...path.split(delimiter), ...USUAL]) {
    if (folder === '') continue;
    const program = join(folder, 'haproxy');
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}

/** Returns the program's version, such as `2.6.12`. Null if it does not report one within 20 s. */
export async function readVersion(program: string): Promise<string | null> {
  const { output } = await runProgram(program, ['-v']);
  return /version (\d+\.\d+[\w.]*)/.exec(output)?.[1] ?? null;
}

/**
 * HAProxy's verdict on a configuration. `line` is the first line that it rejects; null if its message contains no
 * line number.
 */
export type ConfigVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly why: string; readonly line: number | null };

/**
 * Lets HAProxy check a configuration (`haproxy -c`), for at most 20 s. Nothing is started or bound. Never rejects: if
 * the check itself fails, the verdict is `refused`.
 *
 * @param file path of the file; relative paths in it start from its folder
 */
export async function checkConfig(program: string, file: string): Promise<ConfigVerdict> {
  const { code, output } = await runProgram(program, ['-c', '-f', file]);
  if (code === 0) return { kind: 'valid' };
  const [first, ...rest] = alertsOf(output, file);
  if (first === undefined) {
    const last = output.trim().split('\n').at(-1) ?? '';
    return { kind: 'refused', why: last === '' ? `haproxy -c exited with ${code}` : last, line: null };
  }
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  return { kind: 'refused', why: `${first.text}${more}`, line: first.line };
}

/**
 * Returns HAProxy's alerts, first reported first, and the line number of each; null if an alert contains none.
 *
 * Example: `[ALERT] (1) : config : parsing [file:12] : unknown keyword …` → `line 12: unknown keyword …`, line 12.
 */
function alertsOf(output: string, file: string): { readonly text: string; readonly line: number | null }[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('[ALERT]'))
    .map((line) => line.replace(/^\[ALERT\]\s*\(\d+\)\s*:\s*(config\s*:\s*)?/, '').trim())
    .filter((text) => !/^(Error\(s\) found in|Fatal errors found in)/.test(text))
    .map((text) => {
      const place = text.indexOf(`[${file}:`);
      const line = place < 0 ? null : Number(/^\d+/.exec(text.slice(place + file.length + 2))?.[0]);
      const plain = text.replace(/^parsing /, '').replace(/\[[^\]]*:(\d+)\]\s*:?\s*/, 'line $1: ');
      return { text: plain, line: line === null || Number.isNaN(line) ? null : line };
    });
}

async function runProgram(
  program: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  const options = { timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT, env: { ...process.env, LC_ALL: 'C' } };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    return { code: 0, output: `${stdout}${stderr}` };
  } catch (error) {
    const { code, stdout = '', stderr = '', message } = error as Failure;
    const said = `${stdout}${stderr}`;
    return { code: typeof code === 'number' ? code : -1, output: said === '' ? message : said };
  }
}

/** The error that `execFile` throws, with the exit code or the name of a system error. */
interface Failure extends Error {
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}
