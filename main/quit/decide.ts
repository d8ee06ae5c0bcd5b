import type { Preferences } from '#shared/ipc/contract.ts';
import type { Running } from './running-services.ts';

/** Facts that determine what happens to running services when the app quits. */
export interface QuitSituation {
  /** Value of the switch `--on-quit`, for scripts. Null if the switch is not given. */
  readonly override: 'stop' | 'keep' | null;
  readonly remembered: Preferences['onQuit'];
  /** What runs on the embedded master. Null if the master does not run or did not respond. */
  readonly running: Running | null;
  /** Whether the user cannot be asked: the system shuts down, or a script takes a screenshot. */
  readonly unattended: boolean;
}

/**
 * Decides what happens to running services when the app quits. The switch on the command line takes precedence.
 * Without the switch, the decision is `stop` if there are neither services nor cloud nodes, and the remembered choice
 * if there are services. If there are only cloud nodes, the user is asked, because the remembered choice is about
 * services. If the user would have to be asked but cannot be, services keep running, because quitting an app is no
 * request to disconnect players. The next start adopts these services.
 *
 * Example: unattended with 3 services and the preference `ask` → `keep`.
 */
export function decideOnQuit({
  override,
  remembered,
  running,
  unattended,
}: QuitSituation): Preferences['onQuit'] {
  if (override !== null) return override;
  if (running?.services === 0) {
    if (running.nodes === 0) return 'stop';
    return unattended ? 'keep' : 'ask';
  }
  if (remembered !== 'ask') return remembered;
  return unattended || running === null ? 'keep' : 'ask';
}
