import { isUp, type Service } from '#shared/model/service.ts';
import { toAddress } from './player-entry-lines.ts';
import { formatTable, formatTime } from './table.ts';

/** Formats services as a table, for `status` and `service list`. */
export function serviceTable(services: readonly Service[]): string {
  if (services.length === 0) return 'No services.';
  const sorted = services.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  return formatTable(
    ['SERVICE', 'STATE', 'PLAYERS', 'ADDRESS', 'NOTE'],
    sorted.map(({ id, state, stopping, held, players, address, waiting, failure }) => [
      id,
      stateText(state, { stopping: stopping !== null, held }),
      isUp({ state }) ? `${players.online}/${players.max}` : '',
      address === null ? '' : toAddress(address),
      stopping?.cause ?? waiting?.message ?? failure?.error.message ?? '',
    ]),
  );
}

function stateText(
  state: string,
  { stopping, held }: { readonly stopping: boolean; readonly held: boolean },
): string {
  const marks = [...(stopping ? ['stopping'] : []), ...(held ? ['paused'] : [])];
  return marks.length === 0 ? state : `${state} (${marks.join(', ')})`;
}

/** Returns one sentence for each service that did not start: the reason, and the command that shows its log. */
export function failureRemarks(services: readonly Service[]): string[] {
  return services.flatMap(({ id, failure }) => {
    if (failure === null) return [];
    const { at, attempts, error } = failure;
    const times = attempts === 1 ? '' : ` ${attempts} times, the last time`;
    return [
      `${id} failed${times} at ${formatTime(at)}: ${error.message} Its log: overworld-master service logs ${id} --failed`,
    ];
  });
}
