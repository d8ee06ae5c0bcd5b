import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

/**
 * Path of the machine's network namespace. A test file in its own network (test/runner/own-network-pool.ts) accesses
 * repositories through the machine's network namespace. Undefined if the test file is already in the machine's
 * network.
 */
const outerNetwork = process.env['OVERWORLD_OUTER_NETWORK'];
/** Command that runs Maven in a network from which repositories can be reached, with its first arguments. */
export const outerMaven: readonly [string, ...string[]] =
  outerNetwork === undefined ? ['mvn'] : ['nsenter', `--net=${outerNetwork}`, 'mvn'];

export interface MavenJar {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  /** Classifier of the jar if an artifact has several jars, such as `jar-with-dependencies`. */
  readonly classifier?: string;
  readonly sha256: string;
}

/** Maven's cache of downloaded jars. */
const CACHE = join(homedir(), '.m2/repository');

/**
 * Copies a published jar from Maven's cache. If the jar is not in the cache, downloads it with Maven. The start of
 * Maven takes several seconds of CPU time.
 *
 * @param timeoutMs maximum time of the download (ms)
 * @returns the jar's path in `folder`; null if Maven is not installed or cannot download the jar
 * @throws Error if the jar does not have the expected hash
 */
export async function mavenJar(jar: MavenJar, folder: string, timeoutMs = 60_000): Promise<string | null> {
  const { group, artifact, version, classifier, sha256 } = jar;
  const file = `${[artifact, version, ...(classifier === undefined ? [] : [classifier])].join('-')}.jar`;
  const path = join(folder, file);
  const cached = join(CACHE, ...group.split('.'), artifact, version, file);
  await mkdir(folder, { recursive: true });
  if ((await hashOf(cached)) === sha256) {
    await copyFile(cached, path);
    return path;
  }
  const coordinates = [group, artifact, version, ...(classifier === undefined ? [] : ['jar', classifier])];
  const args = ['-B', '-q', COPY, `-Dartifact=${coordinates.join(':')}`, `-DoutputDirectory=${folder}`];
  const isCopied = await run(outerMaven[0], [...outerMaven.slice(1), ...args], { timeout: timeoutMs }).then(
    () => true,
    () => false,
  );
  if (!isCopied) return null;
  const digest = await hashOf(path);
  if (digest !== sha256)
    throw new Error(`${artifact} ${version} is not what it was: its SHA-256 is ${digest ?? 'unknown'}`);
  return path;
}

/** Returns the SHA-256 hash of a file in hex; null if the file cannot be read. */
async function hashOf(path: string): Promise<string | null> {
  const content = await readFile(path).catch(() => null);
  return content === null ? null : createHash('sha256').update(content).digest('hex');
}
