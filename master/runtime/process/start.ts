import { homedir } from 'node:os';
import { monotonicMs } from '#shared/node/clock.ts';
import { isDiskFull, diskProblem } from '#master/templates/disk-problem.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceSpec } from '../runtime.ts';
import { javaArguments } from '../java-arguments.ts';
import { markOf, type Mark } from './mark.ts';
import type { ServiceFolder } from './service-folder.ts';
import { launch, type Launched } from './wrapper.ts';

/**
 * Maximum time for the wrapper to report that it has started the service (ms). Until then the wrapper only runs the
 * first few lines of a shell script.
 */
const TAKE_TIMEOUT_MS = 10_000;
const LOOK_MS = 10;

export interface StartContext {
  readonly mark: Mark;
  readonly log: string;
  /** Path of the `java` program. */
  readonly java: string;
}

/**
 * Starts the JVM of a prepared service. Then waits, for at most 10 s, until the service is marked as started by the
 * new wrapper or by another one.
 *
 * @returns the wrapper started by this call, which may have exited already
 * @throws OverworldError PREPARE_FAILED, DISK_FULL
 */
export async function startPrepared(
  spec: ServiceSpec,
  folder: ServiceFolder,
  parts: StartContext,
): Promise<Launched> {
  let launched: Launched;
  try {
    launched = await launch({
      run: folder.run,
      files: folder.files,
      log: parts.log,
      command: [parts.java, ...javaArguments(spec)],
      environment: {
        // The schema refuses the names of the variables that follow.
        ...Object.fromEntries(spec.environment.map(({ name, value }) => [name, value])),
        ...cleanEnvironment(),
        ...markOf(parts.mark, spec.id),
        OVERWORLD_TEMPLATE: spec.template,
      },
    });
  } catch (error) {
    if (isDiskFull(error)) throw new OverworldError('DISK_FULL', { path: parts.log }, error);
    const why = `its process could not be started: ${diskProblem(error)}`;
    throw new OverworldError('PREPARE_FAILED', { service: spec.id, why }, error);
  }
  await waitUntilTaken(spec, folder, launched);
  return launched;
}

async function waitUntilTaken(spec: ServiceSpec, folder: ServiceFolder, launched: Launched): Promise<void> {
  const deadline = monotonicMs() + TAKE_TIMEOUT_MS;
  while ((await folder.readStart()) === null) {
    // The file is read again, because the wrapper may have started the service and exited between the two checks.
    if (launched.hasExited() && (await folder.readStart()) === null)
      throw refused(spec, 'its shell exited before it started the service');
    if (monotonicMs() > deadline) {
      launched.kill();
      throw refused(spec, `its shell did not start the service within ${TAKE_TIMEOUT_MS / 1000} s`);
    }
    await Promise.race([launched.exited, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
  }
}

function refused(spec: ServiceSpec, why: string): OverworldError {
  return new OverworldError('PREPARE_FAILED', { service: spec.id, why });
}

/**
 * Returns the environment variables that a server needs, and no others, because the master's environment may
 * contain secrets.
 */
function cleanEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: homedir(),
    LANG: process.env['LANG'] ?? 'C.UTF-8',
  };
  const javaHome = process.env['JAVA_HOME'];
  if (javaHome !== undefined) environment['JAVA_HOME'] = javaHome;
  return environment;
}
