import {
  configureMaster,
  type Configuring,
  type MasterSettings,
  type ConfiguredMaster,
} from '../steps/configure-master.ts';
import type { RootShell } from '../server/run-in-unit.ts';
import type { JobControl } from './job-parts.ts';

interface SetUp {
  readonly root: RootShell;
  readonly settings: MasterSettings;
  /** `host:port` of the server, for messages. */
  readonly address: string;
  /** Called if the master has served, even if a later part of the command has failed. */
  readonly onServed?: () => void;
}

/**
 * Runs the steps `configure` and `start`. One command on the server carries out both steps. The command has exited
 * when this function returns or throws.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function setUpMaster(
  job: JobControl,
  { root, settings, address, onServed }: SetUp,
): Promise<ConfiguredMaster> {
  const { signal } = job;
  const runs: Configuring[] = [];
  try {
    const run = await job.step('configure', async (step) => {
      const configuring = configureMaster(step, { root, settings, address, signal });
      runs.push(configuring);
      await configuring.configured;
      return configuring;
    });
    return await job.step('start', async (step) => {
      const master = await run.serving;
      job.report({ masterHostKey: master.hostKey });
      const found = `Version ${master.version} serves at port ${master.port}.`;
      if (master.started) step.detail(found);
      else step.unchanged(found);
      return master;
    });
  } finally {
    // Keeps the connection until the command has ended, even if the job was cancelled between the two steps, because
    // ending the command needs the connection.
    for (const run of runs) {
      await run.serving.catch(() => undefined);
      if (run.hasServed()) onServed?.();
    }
  }
}
