import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, type RunnerTestCase } from 'vitest';
import type { MasterConfig } from '#shared/config/master.ts';
import type { Node } from '#shared/model/node.ts';
import { FAKE_TOKEN } from '../../fake/hetzner/fake-hetzner.ts';
import { MasterProcess, type Announcement } from '../../support/master/master-process.ts';
import { servicesOf } from '../../support/master/network.ts';
import type { ProcessMemory } from '../../support/process-memory.ts';
import { joinAsPlayer, type Player } from '../../support/players/player.ts';
import { MovedClock } from '../../support/moved-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openCloud, type LabCloud } from '../kit/cloud.ts';
import { Lab } from '../kit/lab.ts';
import { faketimeIn } from '../kit/faketime.ts';
import { findSurroundings, hubAddress } from '../kit/surroundings.ts';
import { keepEvidence } from '../kit/evidence.ts';
import { jvmsOn, type Jvm } from './jvms.ts';

declare module 'vitest' {
  interface TaskMeta {
    masterMemory?: ProcessMemory;
  }
}

/** Fields of the master configuration to change. */
export type ConfigChange = { readonly [Part in keyof MasterConfig]?: Partial<MasterConfig[Part]> };

const PROVIDER = { api_token: FAKE_TOKEN, server_type: 'cpx', location: 'nbg1', configure_mode: false };

/**
 * Time before the end of a paid hour to which the clock is moved (ms). A node is released in the last 3 minutes of its
 * hour, but not in the last half minute (docs/scaling.md). So nodes that were ordered within a minute can all be
 * released then, and the master first releases those that are empty.
 */
const BEFORE_END_MS = 120_000;

/**
 * Memory limit of a master (MB). main-story.test.ts needs 120 MB. If a master needed more than twice this value, it
 * would have a leak or an unbounded queue.
 */
const MOST_MEMORY_MB = 300;

/** Maximum number of paid hours, on the test's clock, in which the master must release the nodes. */
const MOST_HOURS = 6;

/** A master without a local node, and a simulated cloud from which it orders servers. */
export class Stage {
  readonly lab: Lab;
  readonly cloud: LabCloud;
  readonly master: MasterProcess;
  readonly #clock: MovedClock;
  readonly #players: Player[] = [];

  private constructor(parts: Pick<Stage, 'lab' | 'cloud' | 'master'>, clock: MovedClock) {
    this.lab = parts.lab;
    this.cloud = parts.cloud;
    this.master = parts.master;
    this.#clock = clock;
    this.master.environment = clock.environment;
  }

  /** @param folder folder for the master's data and other files; not removed */
  static async open(folder: string): Promise<Stage> {
    const lab = new Lab();
    const cloud = await openCloud(lab);
    const args = ['--no-local', '--provider-url', cloud.api.url];
    const master = new MasterProcess(join(folder, 'data'), { from: 25_565, to: 25_999 }, args);
    const { image } = findSurroundings();
    return new Stage({ lab, cloud, master }, new MovedClock(folder, join(image, faketimeIn(image))));
  }

  /**
   * Starts the master and allows it to order servers, unless `change` says otherwise.
   *
   * @returns the address and host key of the master
   */
  async start(change: ConfigChange = {}): Promise<Announcement> {
    const announced = await this.master.start();
    await this.configure({
      ...change,
      communication: { hostname: hubAddress, ...change.communication },
      provider: { ...PROVIDER, ...change.provider },
    });
    return announced;
  }

  /** Changes fields of the master configuration. Resolves when the master has stored them. */
  async configure(change: ConfigChange): Promise<void> {
    const { config, configRevision } = await this.master.call('config.get', {});
    const merged = Object.entries(config).map(([part, value]) => {
      const changed = change[part as keyof ConfigChange];
      const isRecord = typeof value === 'object' && !Array.isArray(value);
      return [part, isRecord ? { ...value, ...(changed as object | undefined) } : (changed ?? value)];
    });
    await this.master.call('config.update', { config: Object.fromEntries(merged), basedOn: configRevision });
  }

  async nodes(): Promise<readonly Node[]> {
    return this.master.call('nodes.list', {});
  }

  /** Returns the services in a form for comparison, such as `lobby-1 RUNNING node-1`. */
  async services(): Promise<string[]> {
    return (await servicesOf(this.master)).map(({ id, state, node }) => `${id} ${state} ${node ?? '-'}`);
  }

  /** Waits until exactly this number of services exists, all of them in this state. */
  async waitForServices(count: number, state: string, timeoutMs = 90_000): Promise<void> {
    await waitFor(
      async () => {
        const services = await this.services();
        if (services.length === count && services.every((line) => line.includes(` ${state} `))) return true;
        throw new Error(services.join(', ') || 'none');
      },
      { timeoutMs, what: `${count} services ${state}` },
    );
  }

  /** Returns the running JVMs according to the machines' kernels. */
  async jvms(): Promise<Jvm[]> {
    return jvmsOn(this.cloud.nodes);
  }

  /** Lets a player join a service. The player leaves at the end of the test at the latest. */
  async join(service: string, username: string): Promise<Player> {
    const address = (await servicesOf(this.master)).find(({ id }) => id === service)?.address;
    if (!address) throw new Error(`${service} has no address`);
    const player = await joinAsPlayer({ ...address, username });
    this.#players.push(player);
    return player;
  }

  /** Moves the clocks of master and provider forward. Monotonic clocks and the clocks of nodes are not affected. */
  advance(ms: number): void {
    this.#clock.advance(ms);
    this.cloud.api.clock.advance(ms);
  }

  /**
   * Lets the paid hours of all cloud nodes end one after the other. Before each end, the master has enough time to
   * drain and release the node.
   *
   * @param isOver returns whether to stop
   */
  async letHoursEnd(isOver: () => boolean | Promise<boolean>): Promise<void> {
    for (let hours = 0; !(await isOver()); hours++) {
      if (hours === MOST_HOURS) throw new Error(`${MOST_HOURS} paid hours ended, and it was not over`);
      const nodes = await waitFor(() => this.nodes(), { what: 'the master to tell its nodes' });
      const end = Math.min(...nodes.flatMap(({ rental }) => rental?.paidUntil ?? []));
      const ahead = end - BEFORE_END_MS - this.#now();
      if (Number.isFinite(ahead) && ahead > 0) this.advance(ahead);
      const before = this.cloud.nodes.length;
      await waitFor(async () => (await isOver()) || this.cloud.nodes.length < before || this.#now() > end, {
        timeoutMs: BEFORE_END_MS + 10_000,
        what: `one of ${before} nodes to be given back`,
      });
    }
  }

  #now(): number {
    return Date.now() + this.#clock.aheadMs;
  }

  /**
   * Reports the master's memory use since the last call. Fails if the peak exceeds the limit.
   *
   * @param task the finished test; the numbers are stored in its report
   */
  checkMemory(task: RunnerTestCase): void {
    const memory = this.master.takeMemory();
    task.meta.masterMemory = memory;
    process.stderr.write(`master: peak ${memory.peakMb} MB, now ${memory.nowMb} MB: ${task.name}\n`);
    expect(memory.peakMb, 'most memory of the master, MB').toBeLessThanOrEqual(MOST_MEMORY_MB);
  }

  /** Disconnects the players, and stops master, cloud and nodes. */
  async close(): Promise<void> {
    for (const player of this.#players) player.drop();
    await this.master.kill();
    await this.cloud.close();
    await this.lab.close();
  }

  /** Stores the data needed to find out why a test failed. */
  async keepEvidence(test: string): Promise<void> {
    await keepEvidence(test, this.lab.nodes, {
      'master.log': this.master.log,
      'master.json': JSON.stringify(await this.#askedOfMaster(), null, 2),
      'provider.json': JSON.stringify(this.cloud.api.requests, null, 2),
    });
  }

  /** Returns the state reported by the master, or the reason why it does not answer. */
  async #askedOfMaster(): Promise<unknown> {
    if (!this.master.alive) return 'the master is dead';
    try {
      return {
        nodes: await this.nodes(),
        services: await servicesOf(this.master),
        activity: await this.master.call('activity.list', { limit: 300 }),
      };
    } catch (error) {
      return `the master lives and does not answer: ${String(error)}`;
    }
  }
}

/** Creates a stage for the calling test and closes it afterwards. Its master is not started yet. */
export async function testStage(): Promise<Stage> {
  const fixture = await Stage.open(temporaryFolder());
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await fixture.keepEvidence(task.name);
    try {
      fixture.checkMemory(task);
    } finally {
      await fixture.close();
    }
  });
  return fixture;
}

/**
 * Creates one stage for all tests of the calling `describe`.
 *
 * @param prepare prepares the stage for the first test
 * @returns a function that returns the stage while a test runs
 */
export function sharedStage(prepare: (fixture: Stage) => Promise<unknown>): () => Stage {
  let fixture: Stage | undefined;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'overworld-test-'));
    fixture = await Stage.open(folder);
    await prepare(fixture);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await fixture?.keepEvidence(task.name);
    fixture?.checkMemory(task);
  });
  afterAll(async () => {
    await fixture?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    if (fixture === undefined) throw new Error('the stage is set when the first test begins');
    return fixture;
  };
}
