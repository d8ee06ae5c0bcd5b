import type { OnQuit } from '../vault/settings.ts';

/** Facts that determine what happens to running services when the app quits. */
export interface QuitSituation {
  /** Value of the switch `--on-quit`, for scripts. Null if the switch is not given. */
  readonly override: 'stop' | 'keep' | null;
  readonly remembered: OnQuit;
  /** Number of services. Null if the master does not run or did not respond. */
  readonly services: number | null;
  /** Whether the user cannot be asked: the system shuts down, or a script takes a screenshot. */
  readonly unattended: boolean;
}

/**
 * Decides what happens to running services when the app quits. The switch on the command line takes precedence.
 * Without the switch, the decision is `stop` if there are no services, and otherwise the remembered choice. If the
 * user would have to be asked but cannot be, services keep running, because quitting an app is no request to
 * disconnect players. The next start adopts these services.
 *
 * Example: unattended with 3 services and the preference `ask` → `keep`.
 */
export function decideOnQuit({ override, remembered, services, unattended }: QuitSituation): OnQuit {
  if (override !== null) return override;
  if (services === 0) return 'stop';
  if (remembered !== 'ask') return remembered;
  return unattended || services === null ? 'keep' : 'ask';
}
