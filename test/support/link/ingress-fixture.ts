import { copyFile, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Platform, Session } from '#shared/link/messages.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { Service } from '#shared/model/service.ts';
import type { HandOver } from '#master/link/link.ts';
import { disguisedJar } from '../java/disguised-jar.ts';
import { LinkClient } from './link-client.ts';
import { MasterProcess } from '../master/master-process.ts';
import { servicesOf, SMALL } from '../master/network.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

/** Maximum time for the start of a small JVM (ms). */
const READY_WITHIN_MS = 60_000;

/**
 * Real master whose services are practice servers. The master recognizes these servers as proxies (`gate`) and Bukkit
 * servers (`lobby`), and the test plays the role of their plugins. Removed when the test ends.
 */
export class IngressFixture {
  readonly master: MasterProcess;
  readonly #clients: LinkClient[] = [];

  private constructor(from: number) {
    this.master = new MasterProcess(temporaryFolder(), { from, to: from + 19 });
  }

  /**
   * Starts the master and waits until its services run.
   *
   * @param from first of 20 ports of the services
   */
  static async open(from: number, { proxies = 1 } = {}): Promise<IngressFixture> {
    const fixture = new IngressFixture(from);
    onTestFinished(() => fixture.#close());
    await fixture.master.start();
    await fixture.#template('gate', 'BungeeCord-Bootstrap', {
      isProxy: true,
      minimumRunningServers: proxies,
    });
    await fixture.#template('lobby', 'CraftBukkit', { isFallback: true, minimumRunningServers: 1 });
    await waitFor(async () => (await fixture.services()).filter(isUp).length > proxies, {
      what: 'all services to be up',
      timeoutMs: READY_WITHIN_MS,
    });
    return fixture;
  }

  async #template(id: string, title: string, config: object): Promise<void> {
    await this.master.call('templates.create', { id, config: { ...SMALL, maxPlayers: 20, ...config } });
    const folder = join(this.master.data, 'templates', id);
    await copyFile(await disguisedJar(title), join(folder, '.jar.part'));
    await rename(join(folder, '.jar.part'), join(folder, 'server.jar'));
  }

  services(): Promise<readonly Service[]> {
    return servicesOf(this.master);
  }

  /** Waits until the service exists and `fits` returns true. Returns the service. */
  service(id: string, fits: (service: Service) => boolean): Promise<Service> {
    return waitFor(
      async () => {
        const services = await this.services();
        const found = services.find((service) => service.id === id);
        if (found !== undefined && fits(found)) return found;
        throw new Error(JSON.stringify(services));
      },
      { what: `${id} as it should be`, timeoutMs: READY_WITHIN_MS },
    );
  }

  /** Returns the number of players on the network. Null while the master does not know this number. */
  async online(): Promise<number | null> {
    return (await this.master.call('services.list', {})).network.players;
  }

  /** Returns events of these kinds, newest first. */
  events(kinds: ActivityEvent['kind'][]): Promise<readonly ActivityEvent[]> {
    return this.master.call('activity.list', { limit: 100, kinds });
  }

  fileOf(id: string, path: string): string {
    return join(this.master.data, 'services', id, 'files', path);
  }

  /** Reads the hand-over file of a service, as its plugin does. */
  async handOver(id: string): Promise<HandOver> {
    const path = this.fileOf(id, 'overworld-link.properties');
    const { mode } = await stat(path);
    if ((mode & 0o777) !== 0o600) throw new Error(`${path} can be read by others: ${mode.toString(8)}`);
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => /^[a-z]/.test(line));
    const values = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
    const { host = '', port, fingerprint = '', service = '', token = '' } = values;
    return { host, port: Number(port), fingerprint, service, token };
  }

  /** Connects as the plugin of a service. The plugin of a proxy reports its players. */
  async link(id: string, platform: Platform, players: Session[] = []): Promise<LinkClient> {
    const handOver = await this.handOver(id);
    const client = await waitFor(() => LinkClient.link({ ...handOver, platform }), {
      what: `the master to welcome ${id}`,
    });
    this.#clients.push(client);
    if (platform !== 'bukkit') client.send({ type: 'players', players, done: true });
    return client;
  }

  async #close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.master.shutDown();
  }
}

/** Returns the session of a player on a game server; null if the player is switching servers. */
export function aSession(name: string, server: string | null): Session {
  const digits = Buffer.from(name).toString('hex').padStart(12, '0').slice(0, 12);
  return { uuid: `00000000-0000-4000-8000-${digits}`, name, server, since: 1_000 };
}

function isUp({ state }: Service): boolean {
  return state === 'RUNNING' || state === 'IN_USE';
}
