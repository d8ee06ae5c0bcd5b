import type { StepControl } from '../job/job-parts.ts';
import type { RootShell } from '../server/run-in-unit.ts';
import { rootPrefix } from './check-server.ts';
import { failure } from './failure.ts';

const UNIT = 'overworld-master';

interface Start {
  readonly root: RootShell;
  readonly address: string;
  readonly signal: AbortSignal;
  /** Whether the installation of the package has just restarted the master. */
  readonly restarted: boolean;
}

/**
 * Starts the master's unit unless it is active. Does not wait until the master serves.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function startMaster(
  step: StepControl,
  { root, address, signal, restarted }: Start,
): Promise<void> {
  const { shell, sudo } = root;
  const running = await shell.run(`systemctl is-active --quiet ${UNIT}`, { sudo, signal });
  if (running.code === 0) {
    if (restarted) step.detail('Its package has restarted it.');
    else step.unchanged('It runs.');
    return;
  }
  step.command(`${rootPrefix(root)}systemctl start ${UNIT}`);
  const started = await shell.run(`systemctl start ${UNIT}`, { sudo, signal });
  if (started.code !== 0) throw failure({ step: 'start', address, output: started.stderr });
  step.detail('Started.');
}
