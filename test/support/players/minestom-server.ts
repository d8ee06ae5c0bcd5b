import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../build/scripts/paths.mjs';
import { outerMaven } from '../java/maven.ts';
import { findJdk } from '../java/small-jre.ts';

const run = promisify(execFile);

const PROJECT = join(root, 'test/support/minestom');
const SOURCES = ['pom.xml', 'src/main/java/overworld/fixture/MinestomServer.java'];
/** Version of Java that Minestom needs. */
const JAVA = 25;
/** Maximum time of a build with its downloads (ms). */
const BUILD_TIMEOUT_MS = 600_000;

/** Version of Minecraft that the server supports. */
export const MINESTOM_VERSION = '1.21.11';

/** Real Minecraft server, or the reason why this machine has none. */
export type MinestomServer =
  | {
      readonly kind: 'ready';
      readonly jar: string;
      /** Folder of a JDK that can run the server. */ readonly jdk: string;
    }
  | { readonly kind: 'missing'; readonly why: string };

/**
 * Returns a real, current Minecraft server (Minestom, test/support/minestom). Maven builds the server once, and later
 * calls use a cache outside of the repository. Needs JDK 25. The first build needs Maven and its central repository.
 *
 * @param options.build whether to build the server if it is not cached
 */
export async function minestomServer({ build }: { readonly build: boolean }): Promise<MinestomServer> {
  const jdk = findJdk(JAVA);
  if (jdk === null) return { kind: 'missing', why: `there is no JDK ${JAVA} in /usr/lib/jvm` };
  const cache = join(homedir(), '.cache', 'overworld', 'minestom');
  const jar = join(cache, `${await fingerprint()}.jar`);
  if (existsSync(jar)) return { kind: 'ready', jar, jdk };
  if (!build) return { kind: 'missing', why: 'it was not built yet; the nightly tests build it' };
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, '.build-'));
  try {
    await cp(PROJECT, work, { recursive: true });
    const [maven, ...before] = outerMaven;
    const options = { cwd: work, timeout: BUILD_TIMEOUT_MS, env: { ...process.env, JAVA_HOME: jdk } };
    await run(maven, [...before, '-B', '-q', 'package'], options);
    await rename(join(work, 'target', 'server.jar'), jar);
    return { kind: 'ready', jar, jdk };
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error);
    return { kind: 'missing', why: `Maven could not build the server: ${why}` };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of SOURCES) hash.update(await readFile(join(PROJECT, path)));
  return hash.digest('hex').slice(0, 16);
}
