import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { Service } from '#shared/model/service.ts';
import type { MasterTimes } from '#master/cli/times-option.ts';
import { freePort, fixtureWithSection, type HaproxyFixture } from '../haproxy/haproxy-fixture.ts';
import { MasterProcess } from '../master/master-process.ts';
import { putJar, servicesOf, setConfig, whereaboutsOf } from '../master/network.ts';
import { joinAsPlayer, type JoinOptions, type Player } from '../players/player.ts';
import { practiceServerJar } from '../players/practice-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { createProxyTemplate, GATE } from './proxy-template.ts';
import type { Grants, ProxyUnderTest } from './proxy-under-test.ts';

export interface ChainOptions {
  /**
   * First of 50 ports for the network's services. Each story uses different ports. They are below 32,768, because
   * Linux uses higher ports for outgoing connections. If such a connection takes a proxy's port during the proxy's
   * start, the proxy runs, but never listens.
   */
  readonly ports: number;
  /** The setting `max_online_players`. */
  readonly limit: number;
  /** Number of proxies; default 2. */
  readonly proxies?: number;
  readonly grants?: Grants;
  /** Whether players join through a real HAProxy. */
  readonly haproxy?: boolean;
  /** Intervals and time limits that override the master's defaults. */
  readonly times?: MasterTimes;
  /** Settings of the proxies' template. By default, exactly {@link proxies} services of the template run. */
  readonly gate?: Partial<TemplateConfig>;
}

/** Settings of a game server that is so small that several of them fit on the machine. */
const GAME = { isProxy: false, minJvmMemory: 16, maxJvmMemory: 64, maxPlayers: 20 };

/** Maximum time for the start of a small JVM (ms). */
const READY_WITHIN_MS = 120_000;

/**
 * A complete network without fakes: a master, proxies, game servers, and optionally HAProxy. Removed when the test
 * ends.
 */
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

  /** Starts a master and its proxies. Each story adds game servers with {@link game}. */
  static async open(under: ProxyUnderTest, options: ChainOptions): Promise<Chain> {
    const haproxy = options.haproxy === true ? await fixtureWithSection() : null;
    const chain = new Chain(under, options, haproxy);
    onTestFinished(() => chain.#close());
    await chain.#configure();
    await chain.master.start();
    const { proxies = 2, grants, gate } = options;
    await createProxyTemplate(chain.master, { under, proxies, grants, config: gate });
    return chain;
  }

  async #configure(): Promise<void> {
    const config = {
      communication: { hostname: '127.0.0.1', port: await freePort() },
      // Points to a missing file if the story has no HAProxy, so that the machine's own HAProxy is not used.
      balancer: { config_path: this.haproxy?.config ?? join(this.master.data, 'no-haproxy.cfg') },
      max_online_players: this.#options.limit,
    };
    await mkdir(join(this.master.data, 'config'), { recursive: true });
    await writeFile(join(this.master.data, 'config', 'master.json'), JSON.stringify(config));
  }

  /** Creates a template for game servers and waits until all its services accept players. */
  async game(
    id: string,
    config: Partial<TemplateConfig> & { readonly count?: number; readonly jar?: string } = {},
  ): Promise<void> {
    const { count = 1, jar = await practiceServerJar(), ...fields } = config;
    const wanted = { ...GAME, minimumRunningServers: count, maximumOnlineServers: count, ...fields };
    await this.master.call('templates.create', { id, config: wanted });
    await putJar(this.master, id, jar);
    await waitFor(async () => (await this.services(id)).filter(isUp).length >= count, {
      what: `game servers of ${id}`,
      timeoutMs: READY_WITHIN_MS,
    });
  }

  /** Waits until all proxies are running, are linked to the master, and know all game servers. */
  async ready(): Promise<void> {
    const { proxies = 2 } = this.#options;
    await waitFor(
      async () => {
        // Count only the plugins of proxies, because game servers may also have plugins.
        const services = await servicesOf(this.master);
        const linked = services.filter((one) => one.template === GATE && one.plugin?.state === 'linked');
        if (linked.length === proxies && linked.every(isUp)) return true;
        const { link } = await this.master.call('wayIn.get', {});
        throw new Error(JSON.stringify({ link, services }));
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

  /** Returns whether the command `/cloud list` on each proxy's console lists every running game server. */
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

  /** Returns the service with this ID. */
  async service(id: string): Promise<Service> {
    const found = (await servicesOf(this.master)).find((service) => service.id === id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  }

  /** Joins as a player: through HAProxy if the network has one, otherwise through the proxy with this number. */
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

  /** Joins like {@link join}, but retries until the network admits the player. */
  async joinSoon(username: string, options: { readonly proxy?: number } = {}): Promise<Player> {
    return waitFor(() => this.join(username, options), { what: `${username} to be let in` });
  }

  /** Returns the proxy and server of each player according to the master, such as `Steve gate-1 lobby-1`, sorted. */
  async whereabouts(): Promise<string[]> {
    return whereaboutsOf(this.master);
  }

  /** Waits until {@link whereabouts} returns exactly these lines. */
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

  /**
   * Returns the number of players that the proxies' plugins report. Null while the master does not know this number.
   */
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
   * Returns the number of slots that proxies use or may use, according to the master. While this number is at the
   * limit, no player can join.
   */
  async slotsGiven(): Promise<number> {
    const path = join(this.master.data, 'state', 'allowances.json');
    const { allowances } = JSON.parse(await readFile(path, 'utf8')) as { allowances: Record<string, number> };
    const { players } = await this.master.call('players.list', {});
    // A proxy may have more players than its allowance, because other plugins can admit players beyond it.
    return Object.entries(allowances)
      .map(([id, granted]) => Math.max(granted, players.filter(({ proxy }) => proxy === id).length))
      .reduce((sum, slots) => sum + slots, 0);
  }

  async set(template: string, change: object): Promise<void> {
    await setConfig(this.master, template, change);
  }

  async command(service: string, line: string): Promise<void> {
    await this.master.call('services.command', { id: service, line });
  }

  /** Returns the complete console log of a service. */
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

/** Waits until the player has received a matching chat line, and returns the line. */
export async function hears(player: Player, pattern: RegExp): Promise<string> {
  return waitFor(() => player.heard.find((line) => pattern.test(line)), {
    what: `${player.username} to hear ${pattern}; heard: ${player.heard.join(' | ')}`,
  });
}
