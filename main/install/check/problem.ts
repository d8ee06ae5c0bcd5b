import type { ServerProblem } from '#shared/ipc/contract.ts';

/** Creates a problem that ends the job. */
export function error(text: string): ServerProblem {
  return { severity: 'error', text };
}

/** Creates a problem with which the job continues. */
export function warning(text: string): ServerProblem {
  return { severity: 'warning', text };
}
