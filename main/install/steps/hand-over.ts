import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { StepControl } from '../job/job-parts.ts';
import { askOldMaster, type OldMaster } from './ask-master.ts';
import { rootPrefix } from './check-server.ts';
import { copyHostKey, copyRest, verifyCopy, writeOptions, type Copying } from './copy-data.ts';
import { localProblems } from './check-old-server.ts';
import { markHandedOver, stopForMove } from './master-unit.ts';

interface HandOver extends Copying {
  /** What is needed to ask the old master for its last report. Null if the old master no longer runs. */
  readonly ask: Parameters<typeof askOldMaster>[0] | null;
  /** Text of the options file of the old master. Null if it has none. */
  readonly options: string | null;
  /** Called right before the old master is stopped, with its last report. Null if the old master no longer runs. */
  onStop(last: OldMaster | null): void;
  /** Called right before the new server gets the host key. With this key, the new master can start. */
  onHanded(): void;
}

/**
 * Stops the old master permanently, and completes the copy. Afterwards the new master can start, but this function
 * does not start it.
 *
 * @throws OverworldError MOVE_IMPOSSIBLE, INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, those of {@link askOldMaster},
 *   or the signal's abort reason
 */
export async function handOver(control: StepControl, parts: HandOver): Promise<void> {
  const { from, to, step, signal, ask, options } = parts;
  const last = ask === null ? null : await askOldMaster(ask);
  const problems = localProblems(last?.localServices ?? []);
  if (problems.length > 0) {
    const texts = problems.map(({ text }) => text);
    throw new OverworldError('MOVE_IMPOSSIBLE', { address: from.address, problems: texts });
  }
  signal.throwIfAborted();
  control.command(`${rootPrefix(from.root)}systemctl disable --now overworld-master`);
  parts.onStop(last);
  await stopForMove(from.root, { step, address: from.address, signal });
  control.detail('The old master is stopped. Its last changes are copied.');
  const bytes = await copyRest(control, parts);
  await verifyCopy(parts);
  if (options !== null) await writeOptions(options, parts);
  signal.throwIfAborted();
  parts.onHanded();
  await markHandedOver(from.root, to.address, { step, address: from.address, signal });
  await copyHostKey(parts);
  const kib = Math.ceil(bytes / 1_024);
  control.detail(`The old master is stopped and disabled. Its last ${kib} KiB are copied and compared.`);
}
