import type { WantedEntry } from '#master/balancer/balancer.ts';
import { openHaproxyBalancer } from '#master/balancer/haproxy-balancer.ts';

/**
 * Master that consists only of its balancer, for tests that kill the master. Prints `begun`, and then changes the
 * wanted proxies all the time. Arguments: configuration, port for players, ports of proxies.
 */
const [config = '', port = '0', ...ports] = process.argv.slice(2);

const silent = (): void => undefined;
const balancer = await openHaproxyBalancer({
  settings: () => ({
    ...{ configPath: config, dataFolder: `${config}.data` },
    ...{ entryAddition: 'send-proxy', host: '127.0.0.1' },
  }),
  log: { info: silent, warn: silent, error: silent },
  playersPort: Number(port),
});
process.stdout.write('begun\n');
for (let turn = 0; ; turn += 1) {
  // The first proxy is always open. Each round closes, removes or opens some of the other proxies.
  const entries = ports.map((one, index): WantedEntry => ({
    ...{ id: `proxy-${index + 1}`, host: '127.0.0.1', port: Number(one), proxyProtocol: true },
    ...{ maxPlayers: 50, fillLevel: 40 },
    open: index === 0 || (turn + index) % 3 !== 0,
  }));
  balancer.want(entries.filter((_, index) => index === 0 || (turn + index) % 4 !== 0));
  await balancer.closed('nobody-1', 1_000);
}
