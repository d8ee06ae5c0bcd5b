import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BackupPlaces } from '../places.ts';
import { readEnvironment, readIfPresent } from './secrets.ts';

/** Maximum number of lines of restic's error output that an error message quotes. */
const QUOTED_LINES = 3;

/** Text in the line that says which process has locked the repository. Lines of less interest follow it. */
const LOCKED = 'already locked';

/** Maximum number of characters of error output that are kept in memory. */
const KEPT_CHARACTERS = 20_000;

/** Number of progress reports per second, as the value of restic's environment variable. */
const REPORTS_PER_SECOND = '2';

/** Error of restic. `why` is the text that restic printed last, or its line about a lock, without secrets. */
export class ResticFailed extends Error {
  readonly code: number | null;
  readonly why: string;

  constructor(code: number | null, why: string) {
    super(why);
    this.code = code;
    this.why = why;
  }

  /** Whether another process has locked the repository. `why` then says which one. */
  get isLocked(): boolean {
    return this.why.includes(LOCKED);
  }
}

export interface ResticOptions {
  /** Working folder. */
  readonly cwd?: string;
  /** Aborts restic. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each line of standard output as it is printed. */
  readonly onLine?: (line: string) => void;
}

/** Runs restic for one repository. Secrets are passed in files and variables, never as arguments. */
export class Restic {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #secrets: readonly string[];

  private constructor(environment: Readonly<Record<string, string>>, secrets: readonly string[]) {
    this.#environment = environment;
    this.#secrets = secrets;
  }

  /**
   * Prepares the environment of restic.
   *
   * @throws OverworldError BACKUP_FILE_INVALID
   */
  static async open(repository: string, places: BackupPlaces): Promise<Restic> {
    const given = await readEnvironment(places.environment);
    const password = (await readIfPresent(places.password)).trim();
    const environment = {
      ...inherited(),
      ...given,
      RESTIC_REPOSITORY: repository,
      RESTIC_PASSWORD_FILE: places.password,
      RESTIC_CACHE_DIR: places.cache,
      RESTIC_PROGRESS_FPS: REPORTS_PER_SECOND,
      LC_ALL: 'C',
    };
    // Short values, such as a region, are not secrets. Masking them would make messages unreadable.
    const secrets = [password, ...Object.values(given)].filter(({ length }) => length >= 8);
    return new Restic(environment, secrets);
  }

  /**
   * Runs restic until it exits, without a time limit. The signal makes it exit with SIGTERM.
   *
   * @returns standard output; empty if `onLine` is given and receives the lines
   * @throws ResticFailed, also if it was aborted; OverworldError RESTIC_MISSING
   */
  run(args: readonly string[], { cwd = '/', signal, onLine }: ResticOptions = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('restic', args, {
        cwd,
        env: { ...this.#environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [stdout, stderr] = ['', ''];
      const abort = (): void => void child.kill('SIGTERM');
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort);
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (onLine === undefined) stdout += `${line}\n`;
        else onLine(line);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr = (stderr + chunk.toString()).slice(-KEPT_CHARACTERS);
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        signal?.removeEventListener('abort', abort);
        reject(
          error.code === 'ENOENT'
            ? new OverworldError('RESTIC_MISSING', { package: 'restic' }, error)
            : error,
        );
      });
      child.once('close', (code, killedBy) => {
        signal?.removeEventListener('abort', abort);
        if (signal?.aborted === true) reject(new ResticFailed(code, 'it was interrupted'));
        else if (code === 0) resolve(stdout);
        else {
          const end = killedBy === null ? `exit code ${code}` : `signal ${killedBy}`;
          reject(new ResticFailed(code, this.#quote(stderr) || `restic ended with ${end}`));
        }
      });
    });
  }

  #quote(stderr: string): string {
    const lines = stderr
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const locked = lines.find((line) => line.includes(LOCKED));
    let text = (locked ?? lines.slice(-QUOTED_LINES).join(' ')).replace(/\.$/, '');
    for (const secret of this.#secrets) text = text.replaceAll(secret, '••••');
    return text;
  }
}

/** Returns the variables of this process that restic, and the `ssh` that restic starts, need. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'SSH_AUTH_SOCK', 'HTTPS_PROXY', 'https_proxy'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
