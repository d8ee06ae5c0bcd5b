import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { quote } from '#shared/text/shell.ts';
import type { StepControl } from '../job/job-parts.ts';
import { runInUnit, type RootShell } from '../server/run-in-unit.ts';
import { rootPrefix } from './check-server.ts';
import { failure } from './failure.ts';
import { MasterLines } from './master-lines.ts';

/** Last line of `overworld-master install --json`. */
const installedSchema = z.object({
  hostKey: z.string().startsWith('SHA256:').max(100),
  version: z.string().max(100),
  port: z.int().min(1).max(65_535),
});
export type ConfiguredMaster = z.infer<typeof installedSchema>;

/** Settings of the master. A setting that is null or false leaves the server's current state unchanged. */
export interface MasterSettings {
  readonly hostname: string | null;
  /** The app's public key, as one line of a `.pub` file. */
  readonly ownerKey: string | null;
  readonly sshPort: number | null;
  readonly haproxy: boolean;
  readonly openPorts: boolean;
  readonly services: boolean;
}

/** Returns the command that configures the master. All values in it are quoted. */
export function configureCommand(settings: MasterSettings): string {
  const { hostname, ownerKey, sshPort, haproxy, openPorts, services } = settings;
  return [
    'overworld-master install',
    ...(hostname === null ? [] : [`--hostname=${quote(hostname)}`]),
    ...(ownerKey === null ? [] : [`--owner-key=${quote(ownerKey)}`]),
    ...(sshPort === null ? [] : [`--ssh-port=${sshPort}`]),
    ...(haproxy ? ['--haproxy'] : []),
    ...(openPorts ? ['--open-ports'] : []),
    ...(services ? ['--services'] : []),
  ].join(' ');
}

/** A run of `overworld-master install`. */
export interface Configuring {
  /** Resolves when everything before the start of the master is done. Rejects with the same errors as `serving`. */
  readonly configured: Promise<unknown>;
  /** Resolves when the master serves. `started` is false if the master served before. */
  readonly serving: Promise<ConfiguredMaster & { readonly started: boolean }>;
  /** Returns whether the master has served, even if a later part of the command has failed. */
  hasServed(): boolean;
}

interface Configuration {
  readonly root: RootShell;
  readonly settings: MasterSettings;
  readonly address: string;
  readonly signal: AbortSignal;
}

/**
 * Runs `overworld-master install`, which configures the master and starts it. A cancellation ends the command, except
 * while apt may install HAProxy. `serving` rejects with INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST or the signal's
 * abort reason.
 */
export function configureMaster(step: StepControl, configuration: Configuration): Configuring {
  const { root, settings, address, signal } = configuration;
  const command = configureCommand(settings);
  step.command(`${rootPrefix(root)}${command}`);
  const lines = new MasterLines(installedSchema);
  const last = lastOf(settings);
  let showConfigured: () => void = () => undefined;
  const seen = new Promise<void>((resolve) => (showConfigured = resolve));
  const run = async (): Configuring['serving'] => {
    const code = await runInUnit(root, {
      command: `${command} --json`,
      signal,
      canStop: () => !settings.haproxy || lines.has('haproxy'),
      onLine: (line) => {
        const done = lines.add(line);
        if (done?.step === last && done.status !== 'failed') {
          if (lines.steps.every(({ status }) => status === 'unchanged')) step.unchanged(summaryOf(lines));
          else step.detail(summaryOf(lines));
          showConfigured();
        }
      },
    });
    const failed = lines.steps.find(({ status }) => status === 'failed');
    if (failed !== undefined) {
      const why = `${failed.step}: ${failed.detail.replace(/[.\s]+$/, '')}`;
      const at = lines.has(last) ? 'start' : 'configure';
      throw new OverworldError('INSTALL_STEP_FAILED', { step: at, address, why });
    }
    if (code !== 0 || lines.result === null)
      throw failure({ step: 'configure', address, output: lines.text });
    const started = lines.steps.some((line) => line.step === 'start' && line.status === 'done');
    return { ...lines.result, started };
  };
  const serving = run();
  return { configured: Promise.race([seen, serving]), serving, hasServed: () => lines.has('start') };
}

/** Returns the last step that the command runs before it starts the master. */
function lastOf({ haproxy, openPorts }: MasterSettings): string {
  if (openPorts) return 'ports';
  return haproxy ? 'haproxy' : 'owner';
}

function summaryOf(lines: MasterLines<typeof installedSchema>): string {
  const changed = lines.steps.filter(({ status }) => status === 'done');
  const shown = changed.length > 0 ? changed : lines.steps.slice(-1);
  return shown.map(({ detail }) => detail).join(' ');
}
