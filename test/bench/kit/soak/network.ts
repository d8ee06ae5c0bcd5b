import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { isUp, type Service } from '#shared/model/service.ts';
import { freePort } from '#test/support/free-port.ts';
import { makePerson, type Person, type SshPort } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, servicesOf } from '#test/support/master/network.ts';
import { practiceProxyJar } from '#test/support/players/practice-proxy.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { MasterProbe } from '../probe/probe.ts';
import type { Scope } from '../scope.ts';
import { fillActivityLog } from './full-activity-log.ts';

const PORTS = { from: 27_300, to: 27_499 };
/** Maximum time for the start of one or a few JVMs on a busy machine (ms). */
const READY_WITHIN_MS = 180_000;
const MEMORY = { minJvmMemory: 16, maxJvmMemory: 64 };
/** Number of player slots of a game server. */
const SEATS = 50;
/** Time after which the rules stop an empty service (ms). */
const UNUSED_MS = 4_000;

/** ID of the template whose services are started and stopped through the admin API. */
const CHURN = 'churn';

/** Master with a proxy, and with game servers that the rules start and stop as players join and leave. */
export interface SoakNetwork {
  readonly master: MasterProcess;
  readonly probe: MasterProbe;
  readonly ssh: SshPort;
  readonly owner: Person;
  /** Port through which players join. */
  readonly port: number;
  /** Template whose services {@link churn} starts. */
  readonly template: string;
}

export async function startSoakNetwork(scope: Scope): Promise<SoakNetwork> {
  const master = new MasterProcess(await scope.folder(), PORTS);
  const config = {
    communication: { hostname: '127.0.0.1', port: await freePort() },
    balancer: { config_path: join(master.data, 'no-haproxy.cfg') },
    max_online_players: 1_000,
  };
  await mkdir(join(master.data, 'config'), { recursive: true });
  await writeFile(join(master.data, 'config', 'master.json'), JSON.stringify(config));
  await fillActivityLog(master.data);
  const probe = new MasterProbe(master);
  scope.add(() => master.shutDown());
  const { host, port, hostKey } = await master.start();
  const owner = makePerson('soak');
  await master.call('keys.add', { name: owner.name, role: 'owner', publicKey: owner.publicKey });
  const one = { ...MEMORY, maxPlayers: 1_000, minimumRunningServers: 1, maximumOnlineServers: 1 };
  await master.call('templates.create', { id: 'gate', config: { ...one, isProxy: true } });
  await putJar(master, 'gate', await practiceProxyJar());
  const game = { ...MEMORY, maxPlayers: SEATS, isProxy: false, killUnusedTooManyServersAfter: UNUSED_MS };
  await master.call('templates.create', {
    id: 'lobby',
    config: { ...game, minimumRunningServers: 1, maximumOnlineServers: 8, isFallback: true },
  });
  await putJar(master, 'lobby');
  await master.call('templates.create', {
    id: CHURN,
    config: { ...game, killUnusedTooManyServersAfter: -1 },
  });
  await putJar(master, CHURN);
  const gate = await upIn(master, (service) => service.template === 'gate' && service.plugin !== null);
  await upIn(master, (service) => service.template === 'lobby');
  return {
    ...{ master, probe, owner, template: CHURN },
    ssh: { server: { host, port }, hostKey: { fingerprint: hostKey } },
    port: gate.address?.port ?? 0,
  };
}

/** Starts a service through the admin API, restarts it, and stops it. */
export async function churn({ master }: SoakNetwork): Promise<void> {
  const { id } = await master.call('services.start', { template: CHURN });
  const { since } = await upIn(master, (service) => service.id === id);
  await master.call('services.restart', { id, kill: true });
  await upIn(master, (service) => service.id === id && service.since !== since);
  await master.call('services.stop', { id, kill: true });
  await untilSteady(master);
}

/**
 * Waits until all services run, none of them is being stopped, and {@link churn} has stopped its service.
 *
 * @returns the number of services
 */
export async function untilSteady(master: MasterProcess): Promise<number> {
  const steady = async (): Promise<number | null> => {
    const services = await servicesOf(master);
    const isSteady = services.every(
      (service) => isUp(service) && !service.stopping && service.template !== CHURN,
    );
    return isSteady ? services.length : null;
  };
  return waitFor(steady, { timeoutMs: READY_WITHIN_MS, what: 'services that neither start nor stop' });
}

function upIn(master: MasterProcess, fits: (service: Service) => boolean): Promise<Service> {
  return waitFor(async () => (await servicesOf(master)).find((service) => isUp(service) && fits(service)), {
    timeoutMs: READY_WITHIN_MS,
    what: 'a service to be RUNNING',
  });
}
