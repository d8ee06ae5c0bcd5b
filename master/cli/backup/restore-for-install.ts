import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { VERSION } from '#shared/version.ts';
import { restoreNetwork, type NetworkRestored } from '#master/backup/restore-network.ts';
import { printJsonLine, type CliContext } from '../context.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { formatTime } from '../table.ts';
import { compareVersions } from '../upgrade/decide/version-order.ts';

/**
 * Input of the process that restores a network for `install`. It is sent over standard input, because secrets must
 * not appear in arguments.
 */
export const restoreRequestSchema = z.strictObject({
  repository: z.string(),
  password: z.string(),
  environment: z.string().optional(),
  /** Id of the backup. Default: the newest backup. */
  backup: z.string().optional(),
});
export type RestoreRequest = z.infer<typeof restoreRequestSchema>;

/** Output of the process that restores, as JSON, if it succeeds. */
export const restoreOutcomeSchema = z.object({ status: z.enum(['done', 'unchanged']), detail: z.string() });

/** Text at the end of each line of error output that reports progress. Lines without it are part of the error. */
export const PROGRESS_END = '…';

/**
 * Restores a network for `install`. Runs as the master's user, and reads the request from standard input.
 *
 * @throws OverworldError the errors of `restoreNetwork`
 */
export async function restoreForInstall(
  dataFolder: string,
  signal: AbortSignal,
  output: Pick<CliContext, 'out' | 'err'>,
): Promise<void> {
  const request = restoreRequestSchema.parse(JSON.parse(await text(process.stdin)));
  const restored = await restoreNetwork({
    dataFolder,
    signal,
    backup: request.backup,
    environment: request.environment,
    repository: request.repository,
    password: request.password,
    isNewer: (version) => compareVersions(version, VERSION) > 0,
    onStep: (step) => output.err(`${step}${PROGRESS_END}`),
  });
  printJsonLine(output, restoreOutcome(restored));
}

/** Converts the result of a restore to the result of a step. */
export function restoreOutcome(restored: NetworkRestored): StepOutcome {
  if (restored.outcome === 'complete') {
    const { backup: id, at } = restored.backup;
    return { status: 'unchanged', detail: `Backup ${id} of ${formatTime(at)} was restored before.` };
  }
  const { id, at, remarks, replaced } = restored.backup;
  const sentences = [`Restored backup ${id} of ${formatTime(at)}.`, ...remarks, ...whereReplaced(replaced)];
  return { status: 'done', detail: sentences.join(' ') };
}

/**
 * Returns a sentence that says where the earlier content of the data folder is now. Empty if there was none.
 *
 * @param replaced folder with the earlier content; null if there was none
 */
export function whereReplaced(replaced: string | null): string[] {
  if (replaced === null) return [];
  return [`The data that was there before is in ${replaced}. Delete it when you do not need it any more.`];
}
