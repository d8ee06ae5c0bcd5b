import type { ElectronApplication, Page } from 'playwright';
import { PUSH_CHANNEL } from '#shared/ipc/channels.ts';
import type { InstallJob, InstallStep, InstallStepName } from '#shared/ipc/contract.ts';
import type { Shot } from './shots.ts';

/** Details of the steps that a picture of a job shows. Durations are in ms. */
export type Details = Partial<
  Record<InstallStepName, { readonly detail?: string; readonly command?: string; readonly ms?: number }>
>;

/** Returns the steps with the given details. Steps that have not begun get none. */
export function withDetails(about: Details, steps: readonly InstallStep[]): InstallStep[] {
  return steps.map((step) => {
    const { detail, command, ms } = about[step.name] ?? {};
    if (step.status === 'waiting') return step;
    return {
      ...step,
      detail: step.detail ?? detail ?? null,
      command: command ?? null,
      ms: step.status === 'running' ? null : (ms ?? step.ms),
    };
  });
}

/** Time for which the running step of a picture has run (ms). */
const RUNS_MS = 9_400;

/** Shows a job in the window as the main process does. */
async function push(electron: ElectronApplication, job: InstallJob | null): Promise<void> {
  const startedAt = Date.now() - RUNS_MS;
  const steps = job?.steps.map((step) => (step.status === 'running' ? { ...step, startedAt } : step));
  await electron.evaluate(
    ({ BrowserWindow }, [channel, value]) => {
      for (const { webContents } of BrowserWindow.getAllWindows())
        webContents.send(channel, 'install', value);
    },
    [PUSH_CHANNEL, job === null ? null : { ...job, steps }] as const,
  );
}

/**
 * Returns two functions for a picture of a job. `arrange` shows the job in its dialog, and `leave` removes the job
 * after the picture was taken.
 */
export function showing(
  job: InstallJob,
  then?: (window: Page) => Promise<void>,
): Required<Pick<Shot, 'arrange' | 'leave'>> {
  return {
    arrange: async (window, electron) => {
      await push(electron, job);
      await window.getByRole('dialog').waitFor();
      await then?.(window);
    },
    leave: (electron) => push(electron, null),
  };
}
