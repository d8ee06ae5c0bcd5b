import type { OnQuit } from '../vault/settings.ts';

/** What happens to running services when the app ends; `ask`: a person decides. */
export interface QuitSituation {
  /** The switch `--on-quit`: for scripts. */
  readonly override: 'stop' | 'keep' | null;
  readonly remembered: OnQuit;
  /** Services that exist; null when the master could not be asked. */
  readonly services: number | null;
  /** Nobody is there to answer: the system shuts down, or a script takes a screenshot. */
  readonly unattended: boolean;
}

/**
 * Decides before the app ends. Where nobody can be asked services are kept: ending a program is no order to throw
 * players out, and the next start adopts them.
 */
export function decideOnQuit({ override, remembered, services, unattended }: QuitSituation): OnQuit {
  if (override !== null) return override;
  if (services === 0) return 'stop';
  if (remembered !== 'ask') return remembered;
  return unattended || services === null ? 'keep' : 'ask';
}
