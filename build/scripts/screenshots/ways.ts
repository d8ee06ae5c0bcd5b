import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { WayIn } from '#shared/model/way-in.ts';
import { aBalancer, aWayIn } from '#test/support/models.ts';

const straight = [{ host: '10.0.1.1', port: 25_700, via: 'proxy-1' }];
const without = { addresses: [], entries: [] };

/** Ways in that are not as they should be, or not set up. */
export const ways: readonly { readonly name: string; readonly wayIn: WayIn }[] = [
  { name: 'absent', wayIn: aWayIn({ balancer: aBalancer({ state: 'absent', ...without }), join: straight }) },
  {
    name: 'foreign',
    wayIn: aWayIn({ balancer: aBalancer({ state: 'foreign', ...without }), join: straight }),
  },
  {
    name: 'trouble',
    wayIn: aWayIn({
      balancer: aBalancer({
        state: 'trouble',
        error: toWire(
          new OverworldError('BALANCER_UNREACHABLE', {
            path: '/run/haproxy/admin.sock',
            why: 'there is no such socket',
          }),
        ),
      }),
      link: {
        listening: null,
        error: toWire(
          new OverworldError('LINK_ADDRESS_FOREIGN', { address: '203.0.113.9', own: '10.0.1.1, 127.0.0.1' }),
        ),
        plugins: 0,
      },
    }),
  },
];
