import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { writeDurably } from '#master/store/write-durably.ts';

/** Matches the names of variables that Overworld sets itself. */
const OWN = /^(?:RESTIC_(?:REPOSITORY|PASSWORD|CACHE|PROGRESS).*|PATH|HOME|LC_ALL)$/;

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

/**
 * Parses the variables of an environment file: `NAME=value` lines, empty lines, and comments that begin with `#`.
 * Quotes around a value are removed.
 *
 * @param path path of the file, for the error
 * @throws OverworldError BACKUP_FILE_INVALID
 */
export function parseEnvironment(text: string, path: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [, name, value = ''] = LINE.exec(line.trim()) ?? [];
    // The message must not quote the line, because the line may be a secret.
    if (name === undefined) throw invalid(path, `line ${index + 1} is not of the form NAME=value`);
    if (OWN.test(name)) throw invalid(path, `Overworld sets ${name} itself`);
    variables[name] = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  }
  return variables;
}

/**
 * Reads an environment file. Returns no variables if the file does not exist. @throws OverworldError
 * BACKUP_FILE_INVALID
 */
export async function readEnvironment(path: string): Promise<Record<string, string>> {
  return parseEnvironment(await readIfPresent(path), path);
}

/**
 * Returns the password in a password file, which is its first line.
 *
 * @throws OverworldError BACKUP_FILE_INVALID if it is empty
 */
export function parsePassword(text: string, path: string): string {
  const [password = ''] = text.split(/\r?\n/);
  if (password === '') throw invalid(path, 'it has no password in its first line');
  return password;
}

/** Creates a random password of 256 bits. */
export function newPassword(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes a secret to a file that only its owner can read. */
export async function writeSecret(path: string, text: string): Promise<void> {
  await writeDurably(path, text, 0o600);
}

/** Returns the text of a file. Returns an empty text if the file does not exist. */
export async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function invalid(path: string, why: string): OverworldError {
  return new OverworldError('BACKUP_FILE_INVALID', { path, why });
}
