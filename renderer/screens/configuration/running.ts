import type { Result } from '#shared/rpc/contract.ts';

/** What the master runs with, beside the fields that it takes at its start alone; by the fields' paths. */
export function runningNotes({
  config,
  running,
}: Pick<Result<'config.get'>, 'config' | 'running'>): Readonly<Record<string, string>> {
  const note = (saved: string | number, runs: string | number): string =>
    saved === runs
      ? `Running with ${runs}.`
      : `Running with ${runs}; ${saved} waits for the next start of the master.`;
  return {
    'communication.hostname': note(config.communication.hostname, running.hostname),
    'communication.port': note(config.communication.port, running.port),
  };
}
