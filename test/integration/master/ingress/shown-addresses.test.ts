import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { HAPROXY, fixtureWithSection } from '#test/support/haproxy/haproxy-fixture.ts';
import { IngressFixture } from '#test/support/link/ingress-fixture.ts';

/** Address that is reserved for documentation. As with a public address behind NAT, no interface has this address. */
const PUBLIC_ADDRESS = '203.0.113.5';

/** Saves another `communication.hostname` and restarts the master. */
async function moveTo(hostname: string, master: MasterProcess): Promise<void> {
  const { config, configRevision } = await master.call('config.get', {});
  const communication = { ...config.communication, hostname };
  await master.call('config.update', { config: { ...config, communication }, basedOn: configRevision });
  await master.kill();
  await master.start();
}

it("a service on the master's machine is shown with communication.hostname, but pinged at 127.0.0.1", async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_550, to: 26_574 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  await putJar(master, 'lobby');
  const { port } = (await serviceIn(master, 'RUNNING')).address ?? {};
  expect((await servicesOf(master))[0]?.address).toEqual({ host: '127.0.0.1', port });

  await moveTo(PUBLIC_ADDRESS, master);
  const [service] = await waitFor(async () => {
    const services = await servicesOf(master);
    return services[0]?.state === 'RUNNING' ? services : null;
  });
  expect(service).toMatchObject({ id: 'lobby-1', address: { host: PUBLIC_ADDRESS, port } });
});

it("the join address of a proxy on the master's machine contains communication.hostname", async () => {
  const { master } = await IngressFixture.open(28_460);
  const joined = () =>
    waitFor(async () => (await master.call('wayIn.get', {})).join[0], { what: 'an address to join' });
  const { port, host } = await joined();
  expect(host).toBe('127.0.0.1');
  await moveTo(PUBLIC_ADDRESS, master);
  expect(await joined()).toEqual({ host: PUBLIC_ADDRESS, port, via: 'gate-1' });
});

it.skipIf(HAPROXY === null).each([
  { bind: '*', before: '127.0.0.1', after: PUBLIC_ADDRESS },
  { bind: '127.0.0.1', before: '127.0.0.1', after: '127.0.0.1' },
])(
  'with communication.hostname, the join address of a balancer that listens on $bind is $after',
  async ({ bind, before, after }) => {
    const haproxy = await fixtureWithSection(bind);
    const master = new MasterProcess(temporaryFolder(), { from: 28_480, to: 28_491 });
    onTestFinished(() => master.shutDown());
    await master.start();
    const { config, configRevision } = await master.call('config.get', {});
    const balancer = { ...config.balancer, config_path: haproxy.config };
    await master.call('config.update', { config: { ...config, balancer }, basedOn: configRevision });
    const joined = () =>
      waitFor(
        async () => {
          const { join } = await master.call('wayIn.get', {});
          return join.length > 0 ? join : null;
        },
        { what: 'addresses to join' },
      );
    expect(await joined()).toEqual([{ host: before, port: haproxy.port, via: 'balancer' }]);
    await moveTo(PUBLIC_ADDRESS, master);
    expect(await joined()).toEqual([{ host: after, port: haproxy.port, via: 'balancer' }]);
    expect((await master.call('wayIn.get', {})).balancer.addresses).toEqual([
      { host: after, port: haproxy.port },
    ]);
  },
);
