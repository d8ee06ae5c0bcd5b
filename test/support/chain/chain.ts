import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { Service } from '#shared/model/service.ts';
import type { Times } from '#master/cli/times-option.ts';
import { freePort, fixtureWithSection, type HaproxyFixture } from '../haproxy/haproxy-fixture.ts';
import { MasterProcess } from '../master/master-process.ts';
import { servicesOf, setConfig } from '../master/network.ts';
import { joinAsPlayer, type JoinOptions, type Player } from '../players/player.ts';
import { practiceServerJar } from '../players/practice-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import type { Grants, ProxyUnderTest } from './proxy-under-test.ts';

export interface ChainOptions {
  /**
   * First of 50 ports of the network's services; each story has its own. Below 32,768, because Linux uses higher
   * ports for outgoing connections, and a proxy whose port is taken during its start runs without ever listening.
   */
  readonly ports: number;
  /** `max_online_players`. */
  readonly limit: number;
  /** Number of proxies, by default 2. */
  readonly proxies?: number;
  readonly grants?: Grants;
  /** Whether a real HAProxy is in front. */
  readonly haproxy?: boolean;
  /** Intervals and time limits that override the master's defaults. */
  readonly times?: Times;
  /** Settings of the proxies' template. By default exactly {@link proxies} services run. */
  readonly gate?: Partial<TemplateConfig>;
}

/** Template of the proxies. */
export const GATE = 'gate';

/** A game server that is small enough to run several of them. */
const GAME = { isProxy: false, minJvmMemory: 16, maxJvmMemory: 64, maxPlayers: 20 };

/** Time limit for the start of such a small JVM (ms). */
const READY_WITHIN_MS = 40_000;

/** A complete network without fakes: a master, proxies, game servers, and optionally HAProxy. Removed with the test. */
export class Chain {
  readonly master: MasterProcess;
  readonly under: ProxyUnderTest;
  readonly haproxy: HaproxyFixture | null;
  readonly #options: ChainOptions;
  readonly #players: Player[] = [];

  private constructor(under: ProxyUnderTest, options: ChainOptions, haproxy: HaproxyFixture | null) {
    const { ports, times = {} } = options;
    this.under = under;
    this.haproxy = haproxy;
    this.#options = options;
    this.master = new MasterProcess(temporaryFolder(), { from: ports, to: ports + 49 }, [
      '--times',
      JSON.stringify(times),
    ]);
  }

  /** Starts master and proxies. Each story adds its game servers with {@link game}. */
  static async open(under: ProxyUnderTest, options: ChainOptions): Promise<Chain> {
    const haproxy = options.haproxy === true ? await fixtureWithSection() : null;
    const chain = new Chain(under, options, haproxy);
    onTestFinished(() => chain.#close());
    await chain.#configure();
    await chain.master.start();
    await chain.#openProxies();
    return chain;
  }

  async #configure(): Promise<void> {
    const config = {
      communication: { hostname: '127.0.0.1', port: await freePort() },
      // Without an HAProxy of its own, a story must not find that of the machine.
      balancer: { config_path: this.haproxy?.config ?? join(this.master.data, 'no-haproxy.cfg') },
      max_online_players: this.#options.limit,
    };
    await mkdir(join(this.master.data, 'config'), { recursive: true });
    await writeFile(join(this.master.data, 'config', 'master.json'), JSON.stringify(config));
  }

  async #openProxies(): Promise<void> {
    const { proxies = 2, grants = {}, gate = {} } = this.#options;
    // A used proxy is not spare, so without a maximum more would start.
    const config = {
      isProxy: true,
      maxPlayers: 1_000,
      minimumRunningServers: proxies,
      maximumOnlineServers: proxies,
    };
    const template = { ...config, ...this.under.memory, ...gate };
    await this.master.call('templates.create', { id: GATE, config: template });
    const folder = join(this.master.data, 'templates', GATE);
    for (const [path, text] of Object.entries(this.under.files(grants))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const [path, from] of Object.entries(await this.under.jars())) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await copyFile(from, join(folder, path));
    }
    await putServerJar(folder, await this.under.jar());
  }

  /** Creates a template for game servers and waits until all its services accept players. */
  async game(
    id: string,
    config: Partial<TemplateConfig> & { readonly count?: number; readonly jar?: string } = {},
  ): Promise<void> {
    const { count = 1, jar = await practiceServerJar(), ...fields } = config;
    const wanted = { ...GAME, minimumRunningServers: count, maximumOnlineServers: count, ...fields };
    await this.master.call('templates.create', { id, config: wanted });
    const folder = join(this.master.data, 'templates', id);
    await putServerJar(folder, jar);
    await waitFor(async () => (await this.services(id)).filter(isUp).length >= count, {
      what: `game servers of ${id}`,
      timeoutMs: READY_WITHIN_MS,
    });
  }

  /** Waits until all proxies are up and linked, and know all game servers. */
  async ready(): Promise<void> {
    const { proxies = 2 } = this.#options;
    await waitFor(
      async () => {
        const { link } = await this.master.call('wayIn.get', {});
        const up = (await this.services(GATE)).filter(isUp);
        if (link.plugins === proxies && up.length === proxies) return true;
        throw new Error(JSON.stringify({ link, services: await servicesOf(this.master) }));
      },
      { what: 'proxies to be linked', timeoutMs: READY_WITHIN_MS },
    );
    await waitFor(() => this.#allKnown(), { what: 'proxies to know all game servers that are up' });
    if (this.haproxy === null) return;
    await waitFor(
      async () => {
        const { balancer } = await this.master.call('wayIn.get', {});
        const open = balancer.entries.filter((entry) => entry.state === 'open');
        if (open.length === proxies) return true;
        throw new Error(JSON.stringify(balancer));
      },
      { what: 'HAProxy to find the proxies well' },
    );
  }

  /** Returns whether `/cloud list` on the console of each proxy names every running game server. */
  async #allKnown(): Promise<boolean> {
    const up = (await servicesOf(this.master)).filter(isUp);
    const games = up.filter(({ template }) => template !== GATE);
    for (const { id } of up.filter(({ template }) => template === GATE)) {
      await this.master.call('services.command', { id, line: 'cloud list' });
      for (const { id: text } of games) {
        const search = { id, text, caseSensitive: true, limit: 1 };
        if ((await this.master.call('services.searchLog', search)).lines.length === 0) return false;
      }
    }
    return true;
  }

  async services(template: string): Promise<readonly Service[]> {
    return (await servicesOf(this.master)).filter((service) => service.template === template);
  }

  /** Returns the service with this id. */
  async service(id: string): Promise<Service> {
    const found = (await servicesOf(this.master)).find((service) => service.id === id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  }

  /** Joins as a player: through HAProxy if there is one, otherwise through the proxy with this number. */
  async join(
    username: string,
    options: { readonly proxy?: number } & Partial<JoinOptions> = {},
  ): Promise<Player> {
    const { proxy = 1, ...rest } = options;
    const port = rest.port ?? this.haproxy?.port ?? (await this.service(`${GATE}-${proxy}`)).address?.port;
    if (port === undefined) throw new Error(`proxy ${proxy} has no port yet`);
    const player = await joinAsPlayer({ ...rest, port, username });
    this.#players.push(player);
    return player;
  }

  /** Like {@link join}, but retries until the network admits the player. */
  async joinSoon(username: string, options: { readonly proxy?: number } = {}): Promise<Player> {
    return waitFor(() => this.join(username, options), { what: `${username} to be let in` });
  }

  /** Returns where the master reports the players: `Steve gate-1 lobby-1`, sorted. */
  async whereabouts(): Promise<string[]> {
    const { players } = await this.master.call('players.list', {});
    return players.map(({ name, proxy, server }) => `${name} ${proxy} ${server ?? '-'}`).sort();
  }

  /** Waits until the master reports exactly this about all players. */
  async sees(...want: readonly string[]): Promise<void> {
    const sorted = JSON.stringify([...want].sort());
    await waitFor(
      async () => {
        const seen = JSON.stringify(await this.whereabouts());
        if (seen !== sorted) throw new Error(`${seen} instead of ${sorted}`);
        return true;
      },
      { what: 'the players to be where they should be' },
    );
  }

  /** Returns the number of players as the proxies' plugins report it. Null while the master does not know it yet. */
  async online(): Promise<number | null> {
    return (await this.master.call('players.list', {})).total;
  }

  async setLimit(limit: number): Promise<void> {
    const { config, configRevision } = await this.master.call('config.get', {});
    await this.master.call('config.update', {
      config: { ...config, max_online_players: limit },
      basedOn: configRevision,
    });
  }

  /**
   * Returns the number of places that proxies may have taken now, according to the master. A lowered limit is
   * effective once this number has fallen to it.
   */
  async placesGiven(): Promise<number> {
    const path = join(this.master.data, 'state', 'allowances.json');
    const { allowances } = JSON.parse(await readFile(path, 'utf8')) as { allowances: Record<string, number> };
    return Object.values(allowances).reduce((sum, granted) => sum + granted, 0);
  }

  async set(template: string, change: object): Promise<void> {
    await setConfig(this.master, template, change);
  }

  async command(service: string, line: string): Promise<void> {
    await this.master.call('services.command', { id: service, line });
  }

  /** Returns everything that a service has written to its console. */
  async log(service: string): Promise<string> {
    const page = await this.master.call('services.readLog', { id: service, from: 0, limit: 500 });
    return page.lines.map((line) => line.text).join('\n');
  }

  async #close(): Promise<void> {
    for (const player of this.#players) player.drop();
    await this.master.shutDown();
  }
}

function isUp(service: Service): boolean {
  return service.state === 'RUNNING' || service.state === 'IN_USE';
}

/** Puts a jar in place like an upload: complete or missing. */
async function putServerJar(folder: string, jar: string): Promise<void> {
  await copyFile(jar, join(folder, '.overworld-test.part'));
  await rename(join(folder, '.overworld-test.part'), join(folder, 'server.jar'));
}

/** Waits until a player was shown a matching line. */
export async function hears(player: Player, pattern: RegExp): Promise<string> {
  return waitFor(() => player.heard.find((line) => pattern.test(line)), {
    what: `${player.username} to hear ${pattern}; heard: ${player.heard.join(' | ')}`,
  });
}
