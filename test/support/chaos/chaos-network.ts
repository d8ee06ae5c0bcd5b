import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type ssh2 from 'ssh2';
import type { Role } from '#shared/model/access/role.ts';
import { selfSignedCertificate } from '#master/link/server/certificate.ts';
import type { HandOver } from '#master/link/link.ts';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { mountSmallDisk } from '../files/small-disk.ts';
import { isRunning } from '../is-running.ts';
import { disguisedJarIn } from '../java/disguised-jar.ts';
import { connect, makePerson, type Person } from '../master/admin-master.ts';
import { jvmsOf, MasterProcess, type Announcement } from '../master/master-process.ts';
import { servicesOf, SMALL } from '../master/network.ts';
import { MovedClock } from '../moved-clock.ts';
import { joinAsPlayer, type Player } from '../players/player.ts';
import { practiceProxyJar } from '../players/practice-proxy.ts';
import { practiceServerJar } from '../players/practice-server.ts';
import { waitFor } from '../wait-for.ts';
import { secretsOf, textCanary, tokensIn, type Canary } from './canaries.ts';
import { HostileNode } from './hostile-node.ts';
import { TamperingRelay } from './tampering-relay.ts';

/** Port of the plugin link. */
export const LINK_PORT = 27_890;
const PORTS = { from: 27_900, to: 27_949 };
/** Source address of the relay in front of the plugin link. Connections from this address reach the master itself. */
const RELAY_ADDRESS = '127.0.0.9';
/** Size of the disk with the master's data (MB). */
const DISK_MB = 96;
/**
 * RAM for services on this machine (MB). It is enough for five small services, but not for a service of the template
 * `big`.
 */
const LOCAL_RAM_MB = 3_000;
const MOST_NODES = 2;
const READY_WITHIN_MS = 90_000;

/** Short times of the plugin link, so that a stopped master soon counts as silent. */
const TIMES = { linkTiming: { heartbeatMs: 500, silentAfterMs: 2_500 } };

/** Services that no fault may end or restart. */
export const LASTING: readonly string[] = ['gate-1', 'gate-2', 'lobby-1', 'lobby-2'];

/**
 * Settings of the templates: two proxies, two game servers, a proxy of the attacker, and a service that needs a cloud
 * node.
 */
const EXACTLY = (count: number) => ({ minimumRunningServers: count, maximumOnlineServers: count });
const TEMPLATES = {
  gate: { ...SMALL, isProxy: true, maxPlayers: 100, ...EXACTLY(2) },
  lobby: { ...SMALL, maxPlayers: 20, isFallback: true, ...EXACTLY(2) },
  rogue: { ...SMALL, isProxy: true, maxPlayers: 100, ...EXACTLY(1) },
  big: { ...SMALL, maxJvmMemory: 3_000, minimumRunningServers: 1, maximumOnlineServers: 3 },
};

/** Returns the path of libfaketime; undefined if it is not installed. */
export function findFaketime(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

/**
 * Network for chaos tests. Needs root, and its own network namespace. It consists of:
 *
 * - a master in its own process, with its data on a small disk
 * - real proxies, game servers and players on this machine
 * - cloud nodes that an attacker controls
 * - a man in the middle on each connection
 */
export class ChaosNetwork {
  readonly data: string;
  readonly master: MasterProcess;
  readonly fake: FakeHetzner;
  readonly nodes: readonly HostileNode[];
  /** Man in the middle between the plugins and the master. */
  readonly link: TamperingRelay;
  /** Man in the middle between admins and the master. */
  readonly admin: TamperingRelay;
  /**
   * Bytes that the imposter of the plugin link received from plugins. A plugin sends bytes only if it trusts the
   * imposter.
   */
  readonly deceived: readonly Buffer[];
  readonly clock: MovedClock | null;
  readonly people: Readonly<Record<Role, Person>>;
  readonly watchers: Player[] = [];
  announcement: Announcement | null = null;
  /** Secrets that this network has placed, in addition to the secrets that the master generates. */
  readonly planted: readonly Canary[];
  readonly consolePassword = `pw-${randomBytes(12).toString('hex')}`;

  private constructor(
    parts: Pick<
      ChaosNetwork,
      'data' | 'master' | 'fake' | 'nodes' | 'link' | 'admin' | 'deceived' | 'clock' | 'planted'
    >,
    ends: (() => unknown)[],
  ) {
    ({ data: this.data, master: this.master, fake: this.fake, nodes: this.nodes } = parts);
    ({ link: this.link, admin: this.admin, deceived: this.deceived } = parts);
    ({ clock: this.clock, planted: this.planted } = parts);
    ends.push(() => this.watchers.map((player) => player.drop()));
    const [files, viewer, operator, owner] = ['files', 'viewer', 'operator', 'owner'].map(makePerson);
    if (!files || !viewer || !operator || !owner) throw new Error('nobody was made');
    this.people = { files, viewer, operator, owner };
  }

  /**
   * Starts the network, and lets players join.
   *
   * @param ends receives the functions that end the parts of the network, in the order in which the parts start. The
   *   caller passes them to {@link closeAll}, even after an error.
   */
  static async open(ends: (() => unknown)[]): Promise<ChaosNetwork> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'overworld-chaos-')));
    ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
    ends.push(mountSmallDisk(DISK_MB, data));
    const nodes: HostileNode[] = [];
    const fake = await startFakeHetzner({
      addressOf: (id) => `127.1.1.${id % 250}`,
      hooks: {
        onCreate: async (machine) => void nodes.push(await HostileNode.boot(machine)),
        onDelete: async ({ name }) => nodes.find((node) => node.name === name)?.close(),
      },
    });
    fake.world.limits.servers = MOST_NODES;
    const token = randomBytes(32).toString('hex');
    fake.tokens.clear();
    fake.tokens.set(token, { write: true });
    ends.push(
      () => fake.close(),
      () => Promise.all(nodes.map((node) => node.close())),
    );
    const library = findFaketime();
    const clock = library === undefined ? null : new MovedClock(folder, library);
    const args = ['--provider-url', fake.url, '--local-ram', String(LOCAL_RAM_MB)];
    const master = new MasterProcess(data, PORTS, [...args, '--times', JSON.stringify(TIMES)]);
    if (clock !== null) master.environment = clock.environment;
    ends.push(() => endServices(master));
    const deceived: Buffer[] = [];
    const imposter = await falseMaster(deceived);
    const link = await TamperingRelay.open({
      ...{ target: () => ({ host: '127.0.0.1', port: LINK_PORT }), from: RELAY_ADDRESS },
      imposter: imposter.port,
    });
    ends.push(
      () => link.close(),
      () => imposter.server.close(),
    );
    redirectLink(link.port);
    let network: ChaosNetwork | null = null;
    const admin = await TamperingRelay.open({
      target: () => ({ host: '127.0.0.1', port: network?.announcement?.port ?? 0 }),
      // With this value, most logins succeed, and most uploads fail.
      flippedPer: 100_000,
    });
    ends.push(() => admin.close());
    const rcon = `rcon-${randomBytes(12).toString('hex')}`;
    const planted = [
      textCanary('API token', token, /^(config|state\/last-good)\/master\.json$/),
      textCanary('RCON password', rcon, /^(templates|revisions)\/|^services\/lobby-\d+\/files\//),
    ];
    network = new ChaosNetwork({ data, master, fake, nodes, link, admin, deceived, clock, planted }, ends);
    await network.#start(token, rcon);
    return network;
  }

  async #start(token: string, rcon: string): Promise<void> {
    await mkdir(join(this.data, 'config'), { recursive: true, mode: 0o700 });
    const config = {
      communication: { hostname: '127.0.0.1', port: LINK_PORT },
      balancer: { config_path: join(this.data, 'no-haproxy.cfg') },
      provider: { api_token: token, configure_mode: false },
      max_online_players: 50,
    };
    await writeFile(join(this.data, 'config', 'master.json'), JSON.stringify(config), { mode: 0o600 });
    await this.startMaster();
    for (const role of ['files', 'viewer', 'operator', 'owner'] as const) await this.authorize(role);
    const jars = {
      gate: await practiceProxyJar(),
      lobby: await practiceServerJar(),
      rogue: await disguisedJarIn(join(this.data, '..'), 'BungeeCord-Bootstrap'),
      big: await practiceServerJar(),
    };
    for (const [id, template] of Object.entries(TEMPLATES)) {
      // Wait until the small services run on this machine, because no cloud node exists yet.
      if (id === 'big') await this.waitUntilReady({ cloud: false, rogue: true });
      await this.master.call('templates.create', { id, config: template });
      const folder = join(this.data, 'templates', id);
      if (id === 'lobby') await appendFile(join(folder, 'server.properties'), `rcon.password=${rcon}\n`);
      await copyFile(jars[id as keyof typeof jars], join(folder, '.jar.part'));
      await rename(join(folder, '.jar.part'), join(folder, 'server.jar'));
    }
    await this.master.call('templates.create', { id: 'uploads', config: { ...SMALL, ...EXACTLY(0) } });
    await this.waitUntilReady();
    for (const [index, proxy] of ['gate-1', 'gate-1', 'gate-2', 'gate-2'].entries()) {
      this.watchers.push(
        await waitFor(() => this.join(`Watcher${index}`, proxy), { what: 'a player to join' }),
      );
    }
    await this.master.call('services.command', { id: 'lobby-1', line: `login ${this.consolePassword}` });
    await this.master.call('services.command', { id: 'gate-1', line: `/register ${this.consolePassword}` });
  }

  /** Starts the master again after it was killed. */
  async startMaster(): Promise<void> {
    this.announcement = await this.master.start();
  }

  async authorize(role: Role): Promise<void> {
    const { name, publicKey } = this.people[role];
    await this.master.call('keys.add', { name, role, publicKey });
  }

  /**
   * Waits until the services on this machine run, the proxies' plugins are linked, and a cloud node is ready.
   *
   * @param options.rogue whether the attacker's proxy must also run; after a restart, the master waits long for the
   *   plugin of this proxy
   */
  async waitUntilReady({ cloud = true, rogue = false } = {}): Promise<void> {
    const wanted = [...LASTING, ...(rogue ? ['rogue-1'] : [])];
    await waitFor(
      async () => {
        const found = await servicesOf(this.master);
        const up = found.filter(({ state }) => state === 'RUNNING' || state === 'IN_USE').map(({ id }) => id);
        const linked = found.filter(({ plugin }) => plugin?.state === 'linked').map(({ id }) => id);
        const isReady =
          wanted.every((id) => up.includes(id)) && ['gate-1', 'gate-2'].every((id) => linked.includes(id));
        const nodes = (await this.master.call('nodes.list', {})).filter(({ kind }) => kind !== 'local');
        if (isReady && (!cloud || nodes.some(({ state }) => state === 'READY'))) return true;
        const states = found.map(
          ({ id, state, plugin, failure }) =>
            `${id} ${state} ${plugin?.state ?? '-'} ${failure?.error.message ?? ''}`,
        );
        throw new Error(JSON.stringify({ states, nodes }));
      },
      { what: 'the network to be ready', timeoutMs: READY_WITHIN_MS },
    );
  }

  /** Joins as a player through a proxy. */
  async join(username: string, proxy: string): Promise<Player> {
    const service = (await servicesOf(this.master)).find(({ id }) => id === proxy);
    return joinAsPlayer({ port: service?.address?.port ?? 0, username });
  }

  /** Logs in over SSH. `config` can replace the port of the master, for example by that of a relay. */
  logIn(person: Person, config: ssh2.ConnectConfig = {}): Promise<ssh2.Client> {
    const { announcement } = this;
    if (announcement === null) throw new Error('the master was not started');
    const { host, port, hostKey } = announcement;
    return connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, person, config);
  }

  /** Reads the hand-over file of a service, as its plugin does. */
  async handOver(id: string): Promise<HandOver> {
    const text = await readFile(
      join(this.data, 'services', id, 'files', 'overworld-link.properties'),
      'utf8',
    );
    const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
    return {
      ...{ host: value('host'), port: Number(value('port')), fingerprint: value('fingerprint') },
      ...{ service: value('service'), token: value('token') },
    };
  }

  /** Returns all secrets that exist now. */
  async canaries(): Promise<readonly Canary[]> {
    const password = textCanary('password on the console', this.consolePassword, /^$/);
    return [...this.planted, password, ...(await secretsOf(this.data)), ...(await tokensIn(this.data))];
  }
}

/** Calls all functions in reverse order, even if one of them fails. Throws the errors at the end. */
export async function closeAll(ends: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends.toReversed()) {
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the network was not closed cleanly');
}

/** Kills the master and its services, by their process ids. */
async function endServices(master: MasterProcess): Promise<void> {
  await master.kill();
  if (!existsSync(join(master.data, 'config', 'cluster.json'))) return;
  for (const pid of [...(await jvmsOf(master.data)).values()].flat()) {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
  await waitFor(async () => (await jvmsOf(master.data)).size === 0, { what: 'the services to exit' });
}

/** Starts a server with a certificate that is not the master's. Keeps the bytes that plugins send to it. */
async function falseMaster(
  received: Buffer[],
): Promise<{ readonly server: TlsServer; readonly port: number }> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = selfSignedCertificate({ key: privateKey, name: 'imposter', now: Date.now() });
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' });
  const server = createTlsServer({ key, cert }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => received.push(bytes));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the imposter has no port');
  return { server, port: address.port };
}

/**
 * Redirects the plugins' connections to the relay. The rule disappears with the network namespace of this process.
 */
function redirectLink(port: number): void {
  const rules = `table ip chaos {
    chain output {
      type nat hook output priority -100;
      ip saddr 127.0.0.1 tcp dport ${LINK_PORT} redirect to :${port}
    }
  }\n`;
  execFileSync('nft', ['-f', '-'], { input: rules, stdio: ['pipe', 'pipe', 'pipe'] });
}
