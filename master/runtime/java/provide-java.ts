import { AUTO_JAVA } from '#shared/config/start-up.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { chooseJava, installableFor } from '#shared/java-version.ts';
import { isDiskFull } from '#master/templates/disk-problem.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import type { ServiceSpec } from '../runtime.ts';
import { JavaProblem } from './java-problem.ts';

/** A Java on a machine. */
export interface InstalledJava {
  /** Absolute path of the `java` program. */
  readonly path: string;
  readonly feature: number;
}

/**
 * Version to install if the machine has no suitable Java and the version that the jar needs is unknown. It runs
 * Minecraft 1.18 to 1.21.
 */
const USUAL_JAVA = 21;

export interface JavaSource {
  /** Name of the node, for errors. */
  readonly node: string;
  /** Returns the versions that the machine has, the default version first. */
  readonly list: () => Promise<readonly InstalledJava[]>;
  /**
   * Installs a feature version of Java. Null if this master does not install Java. @throws JavaProblem, errno errors
   */
  readonly install: ((feature: number) => Promise<void>) | null;
  /** Places that are searched for Java, for the error message. */
  readonly looked: readonly string[];
}

/**
 * Returns the Java for a service: the version that its template names, or a version that is new enough for its jar.
 * Installs this version if the machine does not have it (docs/specification.md#java).
 *
 * @throws OverworldError JAVA_MISSING if the machine has no Java and none may be installed, JAVA_UNAVAILABLE if the
 *   version cannot be installed, DISK_FULL, DISK_RESERVED
 */
export async function provideJava(
  { java, needsJava }: Pick<ServiceSpec, 'java' | 'needsJava'>,
  { node, list, install, looked }: JavaSource,
): Promise<InstalledJava> {
  const wanted = java === AUTO_JAVA ? { atLeast: needsJava } : { exactly: Number(java) };
  const available = await list();
  const found = chooseJava(wanted, available);
  if (found !== null) return found;
  const version = 'exactly' in wanted ? wanted.exactly : installableFor(wanted.atLeast ?? USUAL_JAVA);
  if (install === null) {
    if (available.length === 0) throw new OverworldError('JAVA_MISSING', { looked });
    throw new OverworldError('JAVA_UNAVAILABLE', { node, version, why: 'this master installs no Java' });
  }
  try {
    await install(version);
    const installed = chooseJava(wanted, await list());
    if (installed !== null) return installed;
    throw new JavaProblem('it was installed, but does not run');
  } catch (error) {
    throw toOverworldError(error, { node, version });
  }
}

function toOverworldError(error: unknown, { node, version }: { node: string; version: number }): unknown {
  if (error instanceof JavaProblem)
    return new OverworldError(
      'JAVA_UNAVAILABLE',
      { node, version, why: error.message, isOnMaster: error.isOnMaster },
      error,
    );
  if (error instanceof DiskReserveReached)
    return new OverworldError('DISK_RESERVED', { path: 'java', why: error.message }, error);
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path: `Java ${version}` }, error);
  return error;
}
