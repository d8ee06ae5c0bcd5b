import { expect, it } from 'vitest';
import { pingSubjects } from '#master/control/services/ping-subjects.ts';
import { noLink } from '#test/support/link/no-ingress.ts';
import { aMaster, restarted, seenOn, seenWith } from '#test/support/master/observing-master.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

it('after a restart, the master pings each started service on the nodes that it has not reached yet', async () => {
  const first = await aMaster('node-1');
  for (const id of ['gate-1', 'lobby-1']) first.placed(id, 'node-1');
  const started = { isProxy: true, proxyProtocol: true };
  await first.look([seenWith('node-1', 'gate-1', started), seenOn('node-1', 'lobby-1')]);
  // lobby-2 was not started before the first master ended.
  first.placed('lobby-2', 'node-1');
  const { look, records } = await restarted(first);
  await look([], ['node-1']);
  const registry = { nodes: () => [aRentedNode({ silentSince: 0 })] };
  const targets = pingSubjects({ records, link: noLink(), registry: registry as never }).map(
    ({ target }) => target,
  );
  const address = { host: '10.99.0.11', port: 25_565 };
  expect(targets).toEqual([
    { id: 'gate-1', ...address, proxyProtocol: true },
    { id: 'lobby-1', ...address, proxyProtocol: false },
  ]);
});
