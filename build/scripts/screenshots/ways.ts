import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';

/** Returns player entries with a problem or without a setup, in an otherwise unchanged network. */
export function waysOf(
  wayIn: PlayerEntry,
): readonly { readonly name: string; readonly wayIn: PlayerEntry }[] {
  const { balancer, link } = wayIn;
  const none = { addresses: [], entries: [] };
  const join = [{ host: '10.0.1.1', port: 25_700, via: 'proxy-1' }];
  return [
    { name: 'absent', wayIn: { ...wayIn, join, balancer: { ...balancer, ...none, state: 'absent' } } },
    { name: 'foreign', wayIn: { ...wayIn, join, balancer: { ...balancer, ...none, state: 'foreign' } } },
    {
      name: 'trouble',
      wayIn: {
        ...wayIn,
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
