import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { freePort } from '#test/support/free-port.ts';
import { connect, makePerson, type Person, type SshPort } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { forgetPeak, memoryOf } from '#test/support/process-memory.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { pause } from '../kit/clock.ts';
import { MasterProbe, type LoopDelays } from '../kit/probe/probe.ts';
import type { Attack, Order } from './attacker.ts';
import { floods } from './floods.ts';
import type { AttackNetwork } from './network.ts';

/** Length of each attack, and of the period without an attack (s). */
const SECONDS = 6;
const QUICK_SECONDS = 2;

/** Number of logins before the measurement, so that the code for logins is compiled. */
const WARM_UP_LOGINS = 20;

/** Time between two logins of the owner (ms). */
const BETWEEN_LOGINS_MS = 500;

const PORTS = { from: 27_220, to: 27_229 };

/** State of the master during an attack, or during a period of the same length without an attack. */
export interface Period {
  /** The flood and its port. */
  readonly name: string;
  /** The strangers' group of addresses. */
  readonly group: string;
  readonly delays: LoopDelays;
  /** Highest RSS (MB). */
  readonly peakMb: number;
  /** Slowest login of the owner (ms). */
  readonly loginMs: number;
  /**
   * Highest number of connections that one login of the owner needed. The master may have closed some connections.
   */
  readonly tries: number;
  readonly attack: Attack | null;
}

interface Master {
  readonly process: MasterProcess;
  readonly probe: MasterProbe;
  readonly ssh: SshPort;
  readonly linkPort: number;
  readonly owner: Person;
}

/** Starts a master, and attacks it with each flood from each group of addresses. The first period has no attack. */
export async function measureStrangers(
  { quick, scope, say }: BenchContext,
  network: AttackNetwork,
): Promise<readonly Period[]> {
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const master = await startMaster(await scope.folder(), network.host);
  scope.add(() => master.process.shutDown());
  const attacker = fork(new URL('./attacker.ts', import.meta.url));
  scope.add(() => attacker.kill('SIGKILL'));
  for (let login = 0; login < WARM_UP_LOGINS; login += 1) await logIn(master);
  say(`no attack for ${seconds} s`);
  const quiet = { name: 'quiet', group: '', work: () => pause(seconds * 1_000).then(() => null) };
  const periods = [await during(master, quiet)];
  for (const { name: group, addresses } of network.groups) {
    for (const [index, flood] of floods.entries()) {
      const port = flood.port === 'ssh' ? master.ssh.server.port : master.linkPort;
      const order: Order = { flood: index, host: network.host, port, from: addresses(index), seconds };
      const name = `${flood.name} (${flood.port})`;
      say(`${name} from ${group} for ${seconds} s`);
      periods.push(await during(master, { name, group, work: () => send(attacker, order) }));
    }
  }
  return periods;
}

async function startMaster(data: string, host: string): Promise<Master> {
  const linkPort = await freePort();
  await mkdir(join(data, 'config'), { recursive: true, mode: 0o700 });
  const config = { communication: { hostname: host, port: linkPort } };
  await writeFile(join(data, 'config', 'master.json'), JSON.stringify(config), { mode: 0o600 });
  const master = new MasterProcess(data, PORTS, ['--ssh-host', host]);
  const probe = new MasterProbe(master);
  const { port, hostKey } = await master.start();
  const owner = makePerson('owner');
  await master.call('keys.add', { name: owner.name, role: 'owner', publicKey: owner.publicKey });
  const { link } = await master.call('wayIn.get', {});
  if (link.listening === null)
    throw new Error(`the plugin link does not listen: ${JSON.stringify(link.error)}`);
  const ssh = { server: { host, port }, hostKey: { fingerprint: hostKey } };
  return { process: master, probe, ssh, linkPort, owner };
}

/** Measures the master while `work` runs and the owner logs in repeatedly. */
async function during(
  master: Master,
  { name, group, work }: Pick<Period, 'name' | 'group'> & { readonly work: () => Promise<Attack | null> },
): Promise<Period> {
  forgetPeak(master.process.pid);
  await master.probe.reset();
  let isOver = false;
  const attacked = work().finally(() => (isOver = true));
  let [loginMs, tries] = [0, 0];
  do {
    const login = await logIn(master);
    loginMs = Math.max(loginMs, login.ms);
    tries = Math.max(tries, login.tries);
    await pause(BETWEEN_LOGINS_MS);
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- changes during the login
  } while (!isOver);
  const attack = await attacked;
  const delays = await master.probe.read();
  const memory = memoryOf(master.process.pid);
  if (memory === null)
    throw new Error(`the master ended during "${name}":\n${master.process.log.slice(-2_000)}`);
  return { name, group, delays, peakMb: memory.peakMb, loginMs, tries, attack };
}

/**
 * Logs in as the owner, from an address that no stranger uses. If the master closes the connection, tries again, as
 * the app does. Returns the time of all attempts (ms).
 */
async function logIn({ ssh, owner }: Master): Promise<{ readonly ms: number; readonly tries: number }> {
  const began = performance.now();
  let tries = 0;
  const tryOnce = (): Promise<Client> => {
    tries += 1;
    return connect(ssh, owner);
  };
  const client = await waitFor(tryOnce, { what: 'the owner to log in' });
  const ms = performance.now() - began;
  const closed = once(client, 'close');
  client.end();
  await closed;
  return { ms, tries };
}

async function send(attacker: ChildProcess, order: Order): Promise<Attack> {
  const answered = once(attacker, 'message');
  attacker.send(order);
  // Not validated, because attacker.ts sent the message.
  const [attack] = (await answered) as [Attack];
  return attack;
}
