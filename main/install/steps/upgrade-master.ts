import { z } from 'zod';
import { fromWire, wireErrorSchema } from '#shared/errors/wire.ts';
import { quote } from '#shared/text/shell.ts';
import type { StepControl } from '../job/job-parts.ts';
import type { RootShell } from '../server/run-in-unit.ts';
import { rootPrefix } from './check-server.ts';
import { failure } from './failure.ts';
import { MasterLines } from './master-lines.ts';

/** Last line of `overworld-master upgrade --json`. */
const upgradedSchema = z.object({
  version: z.string().nullable(),
  before: z.string(),
  returned: z.boolean(),
  pauseMs: z.number().nullable(),
  /** An error of a newer master may have a code that this app does not know. */
  error: wireErrorSchema.or(z.object({ message: z.string() })).nullable(),
});
export type Upgraded = z.infer<typeof upgradedSchema>;

/** A run of `overworld-master upgrade`. */
export interface Upgrading {
  /** Resolves when the new version is installed and is starting. Rejects with the same errors as `serving`. */
  readonly installed: Promise<unknown>;
  /** Resolves when the new version serves. */
  readonly serving: Promise<Upgraded>;
}

interface Upgrade {
  readonly root: RootShell;
  /** Path of the verified package on the server. */
  readonly path: string;
  readonly address: string;
}

/**
 * Runs `overworld-master upgrade`, or follows an upgrade that is already running. The server completes the upgrade
 * even if the connection breaks, so a cancellation does not end it. `serving` rejects with the error of the command,
 * with INSTALL_STEP_FAILED, or with SERVER_CONNECTION_LOST.
 */
export function upgradeMaster(step: StepControl, { root, path, address }: Upgrade): Upgrading {
  const command = `overworld-master upgrade ${quote(path)}`;
  step.command(`${rootPrefix(root)}${command}`);
  const lines = new MasterLines(upgradedSchema);
  let showInstalled: () => void = () => undefined;
  const seen = new Promise<void>((resolve) => (showInstalled = resolve));
  const run = async (): Promise<Upgraded> => {
    const { stderr } = await root.shell.run(`${command} --json`, {
      sudo: root.sudo,
      signal: new AbortController().signal,
      onLine: (line) => {
        const done = lines.add(line);
        if (done !== null && done.status !== 'failed') step.detail(done.detail);
        if (done?.step === 'install') showInstalled();
      },
    });
    const { result } = lines;
    if (result === null) throw failure({ step: 'install', address, output: `${lines.text}\n${stderr}` });
    if (result.error !== null) throw fromWire(result.error);
    return result;
  };
  const serving = run();
  return { installed: Promise.race([seen, serving]), serving };
}
