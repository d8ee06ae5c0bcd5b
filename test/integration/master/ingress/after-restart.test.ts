import { expect, it, onTestFinished } from 'vitest';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { noBalancer } from '#test/support/link/no-ingress.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, SMALL } from '#test/support/master/network.ts';
import { practiceProxyJar } from '#test/support/players/practice-proxy.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const PORTS = { from: 28_500, to: 28_509 };

it('a restarted master changes nothing in HAProxy until it knows which of its services are proxies', async () => {
  const master = new MasterProcess(temporaryFolder(), PORTS);
  onTestFinished(() => master.shutDown());
  await master.start();
  const config = { ...SMALL, isProxy: true, minimumRunningServers: 1 };
  await master.call('templates.create', { id: 'gate', config });
  await putJar(master, 'gate', await practiceProxyJar());
  await serviceIn(master, 'RUNNING');
  await master.kill();

  const wanted: (readonly WantedEntry[])[] = [];
  const balancer = { ...noBalancer(), want: (entries: readonly WantedEntry[]) => void wanted.push(entries) };
  const { start } = await loopFixture(master.data, PORTS);
  await start({ balancer });
  await waitFor(() => wanted.some((entries) => entries.length > 0), { what: 'an entry for HAProxy' });
  expect(wanted.map((entries) => entries.map(({ id, open }) => [id, open]))).toEqual([[['gate-1', true]]]);
});
