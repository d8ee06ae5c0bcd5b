import type { PlayerEntry } from '#shared/model/player-entry.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { toCountOf } from '../../view/format/numbers.ts';

/**
 * Returns notes, by field path, for the fields that apply only when the master starts. A note names the value in use.
 * One of the notes also describes the state of the plugin link.
 *
 * @param link state of the plugin link; null while it is unknown
 */
export function runningNotes(
  { config, running }: Pick<Result<'config.get'>, 'config' | 'running'>,
  link: PlayerEntry['link'] | null,
): Readonly<Record<string, string>> {
  const note = (saved: string | number, runs: string | number): string =>
    saved === runs
      ? `Running with ${runs}.`
      : `Running with ${runs}. ${saved} applies when the master restarts.`;
  const hostname = note(config.communication.hostname, running.hostname);
  const port = note(config.communication.port, running.port);
  const became = link === null ? '' : ` ${linkWords(link)}`;
  // If the address belongs to another machine, the person must change the address; after any other error, the port.
  // The state of the link is shown at the field to change.
  const atAddress = link?.error?.code === 'LINK_ADDRESS_FOREIGN';
  return {
    'communication.hostname': atAddress ? `${hostname}${became}` : hostname,
    'communication.port': atAddress ? port : `${port}${became}`,
  };
}

/** Returns whether the master must restart before the saved `communication` values apply. */
export function waitsForStart({
  config,
  running,
}: Pick<Result<'config.get'>, 'config' | 'running'>): boolean {
  const { hostname, port } = config.communication;
  return hostname !== running.hostname || port !== running.port;
}

function linkWords({ error, listening, plugins }: PlayerEntry['link']): string {
  if (error !== null) return error.message;
  return listening === null ? 'The plugin link is not open yet.' : `${toCountOf(plugins, 'plugin')} linked.`;
}
