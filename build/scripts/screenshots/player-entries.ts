import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';

/**
 * Returns variants of the player entry for pictures: with a problem, and without a load balancer. The rest of the
 * network stays unchanged.
 */
export function playerEntriesOf(
  playerEntry: PlayerEntry,
): readonly { readonly name: string; readonly playerEntry: PlayerEntry }[] {
  const { balancer, link } = playerEntry;
  const none = { addresses: [], entries: [] };
  const join = [{ host: '10.0.1.1', port: 25_700, via: 'proxy-1' }];
  return [
    {
      name: 'absent',
      playerEntry: { ...playerEntry, join, balancer: { ...balancer, ...none, state: 'absent' } },
    },
    {
      name: 'foreign',
      playerEntry: { ...playerEntry, join, balancer: { ...balancer, ...none, state: 'foreign' } },
    },
    {
      name: 'trouble',
      playerEntry: {
        ...playerEntry,
        balancer: {
          ...balancer,
          state: 'trouble',
          error: toWire(
            new OverworldError('BALANCER_UNREACHABLE', {
              path: '/run/haproxy/admin.sock',
              why: 'there is no such socket',
            }),
          ),
        },
        link: {
          ...link,
          listening: null,
          error: toWire(
            new OverworldError('LINK_ADDRESS_FOREIGN', {
              address: '203.0.113.9',
              own: '10.0.1.1, 127.0.0.1',
            }),
          ),
          plugins: 0,
        },
      },
    },
  ];
}
