import { copyFileSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createMachines } from '#master/nodes/hetzner/machines.ts';
import type { MachineSettings, ProviderTimes } from '#master/nodes/hetzner/options.ts';
import type { MachineSeed, Machine, Machines } from '#master/nodes/machines.ts';
import type { NodeOrder } from '#master/nodes/node.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import {
  startFakeHetzner,
  type FakeHetzner,
  type FakeHetznerOptions,
} from '#test/fake/hetzner/fake-hetzner.ts';
import { waitFor } from '../wait-for.ts';

/** Short intervals, which are possible because the fake provider answers at once. */
const FAST: ProviderTimes = {
  refresh: 20,
  supply: 50,
  sweep: 100,
  actionPoll: 5,
  actionTimeout: 5_000,
  retry: 5,
  request: 1_000,
  blind: 200,
  grace: 300,
  soldOut: 60_000,
  pause: 60_000,
};

export const CLUSTER = '1234abcd-0000-4000-8000-000000000001';
export const FIRST_HOST_KEY = `SHA256:${'Ab+/'.repeat(10)}Xyz`;
export const MACHINE_SEED: MachineSeed = {
  userData: '#cloud-config\nhostname: node\n',
  hostKey: FIRST_HOST_KEY,
};

/** Fake provider, and the part of a master that manages its cloud nodes. */
export class HetznerFixture {
  readonly fake: FakeHetzner;
  readonly settings: MachineSettings;
  /** All logged lines so far. */
  readonly log: string[] = [];
  statePath: string;
  readonly #folder: string;
  readonly #times: Partial<ProviderTimes>;
  #machines: Machines | null = null;

  private constructor(fake: FakeHetzner, folder: string, times: Partial<ProviderTimes>) {
    this.fake = fake;
    this.#folder = folder;
    this.#times = times;
    this.statePath = join(folder, 'nodes.json');
    const config = masterConfigSchema.parse({
      provider: { api_token: fake.token, configure_mode: false },
    });
    this.settings = {
      provider: config.provider,
      firewallRules: [],
      masterAddress: '127.0.0.1',
      limits: config.limits,
    };
  }

  static async open(
    options: FakeHetznerOptions & { times?: Partial<ProviderTimes> } = {},
  ): Promise<HetznerFixture> {
    const fake = await startFakeHetzner({ actionMs: 5, ...options });
    const folder = await mkdtemp(join(tmpdir(), 'overworld-hetzner-'));
    return new HetznerFixture(fake, folder, options.times ?? {});
  }

  get machines(): Machines {
    if (this.#machines === null) throw new Error('no master was started');
    return this.#machines;
  }

  /**
   * Starts a master with the stored state. With `wait`, also waits for its first synchronisation with the provider.
   */
  async start({ wait = true } = {}): Promise<Machines> {
    const write = (line: string): void => void this.log.push(line);
    this.#machines = await createMachines({
      settings: () => this.settings,
      month: () => ({ spent: 0, endsAt: Infinity }),
      cluster: CLUSTER,
      statePath: this.statePath,
      log: pino({ level: 'debug' }, { write }),
      now: () => this.fake.clock.now(),
      baseUrl: this.fake.url,
      times: { ...FAST, ...this.#times },
    });
    if (wait) await this.until(() => this.machines.supply());
    return this.#machines;
  }

  /**
   * Simulates a kill of the master. The next master starts with a copy of the current state, so later writes of this
   * master have no effect.
   */
  kill(): void {
    const next = `${this.statePath}.next`;
    if (existsSync(this.statePath)) copyFileSync(this.statePath, next);
    this.statePath = next;
    this.fake.faults.add({ kind: 'cut', times: Infinity });
  }

  /** Stops the master. The provider keeps running. */
  async stop(): Promise<void> {
    await this.#machines?.close();
    this.#machines = null;
  }

  /** Deletes the stored state. */
  async loseState(): Promise<void> {
    await rm(this.statePath, { force: true });
  }

  /** Synchronises with the provider repeatedly until the condition holds. */
  async until<T>(
    condition: () => T | Promise<T>,
    what?: string,
  ): Promise<Exclude<T, undefined | null | false>> {
    return waitFor(
      async () => {
        await this.#machines?.refresh();
        return condition();
      },
      what === undefined ? {} : { what },
    );
  }

  order(change: Partial<NodeOrder> = {}, birth: MachineSeed = MACHINE_SEED): Promise<void> {
    return this.machines.order(
      { node: 'node-1', type: 'cpx22', location: 'nbg1', ramMb: 3676, ...change },
      birth,
    );
  }

  /** Returns the machine of a node, or undefined if it does not exist. */
  machine(node = 'node-1'): Machine | undefined {
    return this.machines.all().find((machine) => machine.node === node);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.fake.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
