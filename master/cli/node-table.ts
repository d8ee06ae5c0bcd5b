import type { Node } from '#shared/model/node.ts';
import { formatTable, formatTime } from './table.ts';

/** Formats nodes as a table, for `status` and `node list`. */
export function nodeTable(nodes: readonly Node[]): string {
  return formatTable(
    ['NODE', 'STATE', 'ADDRESS', 'RAM MB', 'OF', 'SERVICES', 'NOTE'],
    nodes.map(({ id, state, address, ram, services, ...rest }) => [
      id,
      state,
      address,
      ram.allocatedMb,
      ram.totalMb,
      services,
      note(rest),
    ]),
  );
}

function note({
  held,
  locked,
  leaving,
  rental,
  keep,
  backoff,
}: Pick<Node, 'held' | 'locked' | 'leaving' | 'rental' | 'keep' | 'backoff'>): string {
  const notes = [
    held ? 'paused' : '',
    locked ? 'protected from release' : '',
    leaving ? 'is released once empty' : '',
    rental === null ? '' : `${rental.type}, paid until ${formatTime(rental.paidUntil)}`,
    keep?.message ?? '',
    backoff === null ? '' : `${backoff.message} Retried at ${formatTime(backoff.until)}`,
  ];
  return notes.filter((text) => text !== '').join('; ');
}
