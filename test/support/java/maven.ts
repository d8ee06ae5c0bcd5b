import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

/**
 * Path of the outer network namespace, through which a test file with a network of its own
 * (test/runner/own-network-pool.ts) reaches repositories. Undefined if the test file has no network of its own.
 */
const outerNetwork = process.env['OVERWORLD_OUTER_NETWORK'];
/** Command that runs Maven where repositories can be reached, with its first arguments. */
export const outerMaven: readonly [string, ...string[]] =
  outerNetwork === undefined ? ['mvn'] : ['nsenter', `--net=${outerNetwork}`, 'mvn'];

export interface MavenJar {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  /** Names one of several jars of an artifact, such as `jar-with-dependencies`. */
  readonly classifier?: string;
  readonly sha256: string;
}

/**
 * Downloads a published jar with Maven, or copies it from Maven's cache.
 *
 * @param timeoutMs maximum time of the download (ms)
 * @returns the jar's path in `folder`; null if Maven is not installed or cannot download
 * @throws Error if the jar does not have the expected hash
 */
export async function mavenJar(jar: MavenJar, folder: string, timeoutMs = 60_000): Promise<string | null> {
  const { group, artifact, version, classifier } = jar;
  const coordinates = [group, artifact, version, ...(classifier === undefined ? [] : ['jar', classifier])];
  const args = ['-B', '-q', COPY, `-Dartifact=${coordinates.join(':')}`, `-DoutputDirectory=${folder}`];
  const copied = (more: readonly string[]) =>
    run(outerMaven[0], [...outerMaven.slice(1), ...more, ...args], { timeout: timeoutMs }).then(
      () => true,
      () => false,
    );
  if (!(await copied(['-o'])) && !(await copied([]))) return null;
  const path = join(
    folder,
    `${[artifact, version, ...(classifier === undefined ? [] : [classifier])].join('-')}.jar`,
  );
  const digest = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  if (digest !== jar.sha256)
    throw new Error(`${artifact} ${version} is not what it was: its SHA-256 is ${digest}`);
  return path;
}
