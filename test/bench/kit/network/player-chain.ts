import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { freePort } from './by-hand.ts';
import { playerProxy, type PlayerProxy } from './player-proxy.ts';
import type { Scope } from '../scope.ts';

const PORTS = { from: 27_200, to: 27_299 };
const READY_WITHIN_MS = 60_000;
/** Memory of each service, which is so large that no result depends on a small heap. */
const MEMORY = { minJvmMemory: 128, maxJvmMemory: 128 };
const MAX_PLAYERS = 5_000;

/** Two proxies with the same software in front of one game server. One has our plugin, the other has not. */
export interface PlayerChain {
  readonly proxy: PlayerProxy;
  readonly master: MasterProcess;
  /** Port of the proxy that belongs to a master's network and has our plugin. */
  readonly ours: number;
  /** Port of the proxy without our plugin, which admits all players. */
  readonly without: number;
}

/** Starts a master with one proxy and one practice server, and another proxy without our plugin. */
export async function startPlayerChain(scope: Scope): Promise<PlayerChain> {
  const proxy = playerProxy();
  const master = new MasterProcess(await scope.folder(), PORTS);
  const config = {
    communication: { hostname: '127.0.0.1', port: await freePort() },
    balancer: { config_path: join(master.data, 'no-haproxy.cfg') },
    max_online_players: MAX_PLAYERS,
  };
  await mkdir(join(master.data, 'config'), { recursive: true });
  await writeFile(join(master.data, 'config', 'master.json'), JSON.stringify(config));
  scope.add(() => master.shutDown());
  await master.start();
  // With this maximum, no further services start, even with many players.
  const one = { ...MEMORY, maxPlayers: MAX_PLAYERS, minimumRunningServers: 1, maximumOnlineServers: 1 };
  await master.call('templates.create', { id: 'gate', config: { ...one, isProxy: true } });
  for (const [path, text] of Object.entries(proxy.files)) {
    await writeFile(join(master.data, 'templates', 'gate', path), text);
  }
  await putJar(master, 'gate', await proxy.jar());
  await master.call('templates.create', {
    id: 'lobby',
    config: { ...one, isProxy: false, isFallback: true },
  });
  await putJar(master, 'lobby');

  const portOf = (template: string): Promise<number> =>
    waitFor(
      async () => {
        const { services } = await master.call('services.list', {});
        const found = services.find((service) => service.template === template);
        return found?.state === 'RUNNING' ? found.address?.port : null;
      },
      { what: `${template} to be RUNNING`, timeoutMs: READY_WITHIN_MS },
    );
  const [ours, lobby] = [await portOf('gate'), await portOf('lobby')];
  await waitFor(async () => (await master.call('wayIn.get', {})).link.plugins === 1, {
    what: 'the proxy to be linked',
    timeoutMs: READY_WITHIN_MS,
  });
  const jvmArguments = [`-Xms${MEMORY.minJvmMemory}M`, `-Xmx${MEMORY.maxJvmMemory}M`];
  return { proxy, master, ours, without: await proxy.startWithout(scope, { lobby, jvmArguments }) };
}
