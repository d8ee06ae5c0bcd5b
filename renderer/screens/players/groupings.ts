import type { Player } from '#shared/model/player.ts';
import type { Grouping } from '../../ui/table/table.ts';

/** Group of players who are on no game server now. */
export const NO_SERVER = 'Between services';

/** Groupings of players. */
export const playerGroupings: readonly Grouping<Player>[] = [
  {
    id: 'server',
    title: 'Service',
    keyOf: ({ server }) => server ?? '',
    // Players between servers come last.
    rankOf: (server) => (server === '' ? 1 : 0),
    label: (server) => (server === '' ? NO_SERVER : server),
  },
  {
    id: 'template',
    title: 'Template',
    keyOf: ({ server }) => (server === null ? '' : server.slice(0, server.lastIndexOf('-'))),
    rankOf: (template) => (template === '' ? 1 : 0),
    label: (template) => (template === '' ? NO_SERVER : template),
  },
  { id: 'proxy', title: 'Proxy', keyOf: ({ proxy }) => proxy, label: (proxy) => proxy },
];
