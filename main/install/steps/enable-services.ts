import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { StepControl } from '../job/job-parts.ts';
import { runInUnit, type RootShell } from '../server/run-in-unit.ts';
import { rootPrefix } from './check-server.ts';
import { failure } from './failure.ts';
import { MasterLines } from './master-lines.ts';

/** Returns the command that lets the master run services on its server. */
function enableCommand(withPorts: boolean): string {
  return ['overworld-master local enable', ...(withPorts ? ['--open-ports'] : [])].join(' ');
}

/** Last line of `overworld-master local enable --json`. */
const enabledSchema = z.object({ services: z.literal(true) });

interface Enabling {
  readonly root: RootShell;
  readonly address: string;
  readonly signal: AbortSignal;
  /** Whether to open the port that players connect to in the server's firewall. */
  readonly openPorts: boolean;
}

/**
 * Lets the master run services on the server, each under a user of its own. The master first installs Java. Resolves
 * when the master can run services.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function enableServices(
  step: StepControl,
  { root, address, signal, openPorts }: Enabling,
): Promise<void> {
  const command = enableCommand(openPorts);
  step.command(`${rootPrefix(root)}${command}`);
  const lines = new MasterLines(enabledSchema);
  const code = await runInUnit(root, {
    command: `${command} --json`,
    signal,
    // Until the step `access` has ended, the command may run apt, which must not be interrupted.
    canStop: () => lines.has('access'),
    onLine: (line) => {
      const done = lines.add(line);
      if (done?.step === 'access') step.detail(`${done.detail} The master now installs what services need.`);
    },
  });
  const failed = lines.steps.find(({ status }) => status === 'failed');
  if (failed !== undefined) {
    const why = failed.detail.replace(/[.\s]+$/, '');
    throw new OverworldError('INSTALL_STEP_FAILED', { step: 'services', address, why });
  }
  if (code !== 0 || lines.result === null) throw failure({ step: 'services', address, output: lines.text });
  const detail = lines.steps.at(-1)?.detail ?? '';
  if (lines.steps.every(({ status }) => status === 'unchanged')) step.unchanged(detail);
  else step.detail(detail);
}
