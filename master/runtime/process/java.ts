import { execFile } from 'node:child_process';
import { access, chmod, constants, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';

const VERSION_TIMEOUT_MS = 15_000;

/** Variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the places that {@link findJava} searches, in the sequence of the search. They are used in messages. */
export function javaPlaces(configured: string | undefined): readonly string[] {
  return [
    "the template's jre/bin/java",
    ...(configured === undefined ? [] : [configured]),
    'JAVA_HOME',
    'PATH',
  ];
}

/**
 * Returns the path of a service's own Java in `jre/`, and makes it executable. Returns null if the service's files
 * contain no Java.
 *
 * @param files folder with the service's files
 */
export async function findOwnJava(files: string): Promise<string | null> {
  const own = join(files, 'jre', 'bin', 'java');
  // Uploads often lose the execute bit, and the file at this path is meant to be a program.
  await chmod(own, 0o755).catch(() => undefined);
  return (await isProgram(own)) ? own : null;
}

/**
 * Finds the Java runtime for a service: the template's own `jre/`, then the configured one, JAVA_HOME, and PATH.
 * Makes the template's own `jre/bin/java` executable.
 *
 * @param files folder with the service's files; null to consider only the machine's Java
 * @param configured path of the `java` program in the configuration; undefined if none is configured
 * @param environment variables of the master
 * @returns absolute path of the `java` program
 * @throws OverworldError JAVA_MISSING
 */
export async function findJava(
  files: string | null,
  configured: string | undefined,
  environment: Environment = process.env,
): Promise<string> {
  const own = files === null ? null : await findOwnJava(files);
  if (own !== null) return own;
  const home = environment['JAVA_HOME'];
  const path = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const candidates = [
    ...(configured === undefined ? [] : [configured]),
    ...(home === undefined || home === '' ? [] : [join(home, 'bin', 'java')]),
    ...path.map((folder) => join(folder, 'java')),
  ];
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  throw new OverworldError('JAVA_MISSING', { looked: javaPlaces(configured) });
}

/**
 * Returns the path of this machine's `java` program, which runs services whose template has no Java runtime; null if
 * the machine has none.
 */
export async function findMachinesJava(
  configured: string | undefined,
  environment: Environment = process.env,
): Promise<string | null> {
  try {
    return await findJava(null, configured, environment);
  } catch (error) {
    if (hasCode(error, 'JAVA_MISSING')) return null;
    throw error;
  }
}

/** Reports whether a path is an executable file. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns the version of a Java program, such as `17.0.15`. Reads it from the `release` file that every JDK and JRE
 * since Java 8 has, because running Java at each start of the app would be slow. Without that file, runs the program
 * for at most 15 s. Returns null if the program does not run.
 */
export async function readJavaVersion(java: string): Promise<string | null> {
  return (await readRelease(java)) ?? (await askJava(java));
}

/** Returns the version from the `release` file. Null if the file does not exist or contains no version. */
async function readRelease(java: string): Promise<string | null> {
  try {
    const text = await readFile(join(dirname(await realpath(java)), '..', 'release'), 'utf8');
    return /^JAVA_VERSION="([^"]{1,64})"/m.exec(text)?.[1] ?? null;
  } catch {
    return null;
  }
}

async function askJava(java: string): Promise<string | null> {
  try {
    const { stderr, stdout } = await promisify(execFile)(java, ['-version'], {
      timeout: VERSION_TIMEOUT_MS,
      env: {},
    });
    return /version "([^"]{1,64})"/.exec(stderr + stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
