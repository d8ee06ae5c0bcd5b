import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { MachineSeed, Machine, Machines } from '../machines.ts';
import type { NodeOrder, Supply } from '../node.ts';
import { Access } from './access.ts';
import { describeProblem, isProblem } from './api/api-problem.ts';
import type { Context } from './context.ts';
import { FirewallKeeper } from './firewall/firewall-keeper.ts';
import { ForeignServers } from './foreign-servers.ts';
import { Guard } from './guard.ts';
import { Journal, type MachineRecord } from './journal.ts';
import { toLabels, withOurs } from './labels.ts';
import { MasterAddresses } from './firewall/master-addresses.ts';
import { DEFAULT_TIMES, type MachinesOptions } from './options.ts';
import { Ordering } from './ordering.ts';
import { PriceList } from './price-list.ts';
import { OrderRejections } from './rejections.ts';
import { toReleaseError, Releasing } from './releasing.ts';
import { ProviderSync } from './provider-sync.ts';

const HOUR_MS = 3_600_000;

/**
 * Opens the access to Hetzner's cloud servers. Reads the last known state from disk and sends no request before
 * {@link Machines.refresh}.
 *
 * @throws OverworldError DATA_FAULTY
 */
export async function createMachines(options: MachinesOptions): Promise<Machines> {
  return new HetznerMachines(options, await Journal.open(options.statePath));
}

class HetznerMachines implements Machines {
  readonly #context: Context;
  readonly #access: Access;
  readonly #rejections: OrderRejections;
  readonly #guard: Guard;
  readonly #prices: PriceList;
  readonly #firewalls: FirewallKeeper;
  readonly #foreign: ForeignServers;
  readonly #watch: ProviderSync;
  readonly #masters: MasterAddresses;
  readonly #ordering: Ordering;
  readonly #releasing: Releasing;
  readonly #notes = new Set<Promise<void>>();

  constructor(options: MachinesOptions, journal: Journal) {
    const { settings, cluster, now, log, month } = options;
    const times = { ...DEFAULT_TIMES, ...options.times };
    this.#access = new Access(options, times);
    const isTokenProven = (): boolean => !journal.isOtherToken(this.#access.mark);
    const { api } = this.#access;
    const context: Context = { api, isTokenProven, journal, settings, cluster, times, now, log };
    this.#context = context;
    this.#rejections = new OrderRejections(times);
    this.#prices = new PriceList(context, this.#rejections);
    this.#guard = new Guard({
      context,
      rejections: this.#rejections,
      paused: () => this.#paused(),
      price: (type, location) => this.#prices.choice(type, location)?.hourlyPrice ?? null,
      month,
    });
    this.#masters = new MasterAddresses(journal, now);
    this.#firewalls = new FirewallKeeper(context, this.#masters);
    this.#foreign = new ForeignServers(context, this.#guard, this.#prices);
    this.#releasing = new Releasing(context, this.#guard);
    this.#ordering = new Ordering({
      context,
      access: this.#access,
      guard: this.#guard,
      rejections: this.#rejections,
      prices: this.#prices,
      firewalls: this.#firewalls,
    });
    this.#watch = new ProviderSync({
      context,
      access: this.#access,
      guard: this.#guard,
      firewalls: this.#firewalls,
      prices: this.#prices,
      foreign: this.#foreign,
      onSynced: () => this.#resumeReleases(),
    });
  }

  all(): readonly Machine[] {
    return this.#context.journal.machines.map(toMachine);
  }

  listed(): boolean {
    return this.#watch.listed || !this.#access.isUsable;
  }

  supply(): Supply | null {
    const offers = this.#prices.offers();
    if (offers === null || !this.#watch.listed || !this.#access.isUsable) return null;
    return { offers, paused: this.#paused(), nextNumber: this.#context.journal.nextNumber };
  }

  refresh(): Promise<void> {
    this.#watch.begin();
    return Promise.resolve();
  }

  trouble(): string | null {
    return this.#watch.trouble;
  }

  isBlind(): boolean {
    return this.#watch.isBlind;
  }

  order(order: NodeOrder, seed: MachineSeed): Promise<void> {
    return this.#context.journal.claim(order.node, async () => {
      try {
        await this.#ordering.order(order, seed);
      } finally {
        this.#watch.hurry();
      }
    });
  }

  isFrozen(): boolean {
    return this.#guard.isFrozen;
  }

  async release(node: NodeId, requester: ReleaseRequester): Promise<void> {
    this.#guard.checkRelease(node, requester);
    const isKnown = await this.#releasing.intend(node);
    if (isKnown) await this.#carryOutRelease(node, requester);
  }

  async #carryOutRelease(node: NodeId, requester: ReleaseRequester): Promise<void> {
    try {
      // Waits for an order in progress.
      await this.#context.journal.claim(node, () => this.#releasing.carryOut(node, requester));
    } catch (error) {
      throw toReleaseError(node, error);
    } finally {
      this.#watch.hurry({ sweep: true });
    }
  }

  foreignServers(): readonly ForeignServer[] {
    return this.#foreign.list;
  }

  async deleteForeignServer(server: Pick<ForeignServer, 'name' | 'network'>): Promise<void> {
    try {
      await this.#foreign.delete(server);
    } finally {
      this.#watch.hurry({ sweep: true });
    }
  }

  async remember(node: NodeId, found: Partial<Pick<Machine, 'hostKeys' | 'readyAt'>>): Promise<void> {
    const { journal } = this.#context;
    const { hostKeys, readyAt } = found;
    await journal.change(node, {
      ...(hostKeys === undefined ? {} : { hostKeys: [...hostKeys] }),
      ...(readyAt === undefined ? {} : { readyAt }),
    });
    const record = journal.of(node);
    if (record === undefined || record.server === null) return;
    if (readyAt !== undefined) this.#rejections.allow(record.type, record.location);
    await this.#relabel(record);
  }

  countFailure(node: NodeId, why: string): void {
    const { journal, now, log } = this.#context;
    const record = journal.of(node);
    if (record === undefined || journal.failures.some((failure) => failure.node === node)) return;
    const { type, location } = record;
    this.#rejections.avoid(type, location, now());
    this.#note(
      'a node that did not become ready',
      journal.addFailure({ at: now(), node, type, location, why }, now() - HOUR_MS),
    );
    log.warn({ node, type, location, why }, 'a node did not become ready');
    // If the master's address has changed, the firewall may block the master.
    this.#masters.doubt();
    this.#watch.hurry();
  }

  allowMaster(addresses: readonly string[], isComplete: boolean): void {
    const noted = this.#masters.set(addresses, isComplete).then((hasChanged) => {
      if (hasChanged) this.#watch.hurry();
    });
    this.#note("the master's addresses", noted);
  }

  async close(): Promise<void> {
    this.#access.close();
    await Promise.all([this.#watch.settled(), this.#context.journal.settled(), ...this.#notes]);
  }

  /** Tracks a write in the background, so that {@link close} waits for it, and logs an error if it fails. */
  #note(what: string, writing: Promise<void>): void {
    const done = writing
      .catch((error: unknown) => this.#context.log.error({ err: error }, `${what} could not be stored`))
      .finally(() => this.#notes.delete(done));
    this.#notes.add(done);
  }

  /** Updates the labels of a server. If that fails, the next synchronization updates them. */
  async #relabel(record: MachineRecord): Promise<void> {
    const { api, cluster, log } = this.#context;
    try {
      const server = record.server === null ? null : await api().server(record.server);
      if (server === null) return;
      await api().relabel(server.id, withOurs(server.labels, toLabels(cluster, record)));
    } catch (error) {
      log.warn({ node: record.node, why: describeProblem(error) }, 'the labels of a node are set later');
    }
  }

  #paused(): Supply['paused'] {
    const { journal, now } = this.#context;
    const trouble = this.#watch.trouble;
    if (trouble !== null) {
      const { dueInMs } = this.#watch;
      // While the next attempt is in progress, it is unknown when orders are possible again.
      return { message: trouble, until: dueInMs === 0 ? null : now() + dueInMs };
    }
    return this.#rejections.paused(journal.failures, this.#access.token, now());
  }

  /** Continues releases that a crash interrupted or that failed. */
  #resumeReleases(): void {
    const { journal, log } = this.#context;
    for (const { node, phase } of journal.machines) {
      if (phase !== 'releasing' || journal.busy.has(node)) continue;
      this.#carryOutRelease(node, 'rules').catch((error: unknown) => {
        if (isProblem(error, 'closed')) return;
        log.warn({ node, why: describeProblem(error) }, 'a node could not be deleted yet');
      });
    }
  }
}

function toMachine(record: MachineRecord): Machine {
  const { node, address, type, location, since, hourlyPrice, ramMb, cores, sshPort, hostKeys, readyAt } =
    record;
  return {
    node,
    state: stateOf(record),
    address,
    type,
    location,
    since,
    isUnconfirmed: record.server === null,
    hourlyPrice,
    ramMb,
    cores,
    sshPort,
    hostKeys,
    readyAt,
  };
}

function stateOf({ phase, server, status }: MachineRecord): Machine['state'] {
  if (phase === 'releasing') return 'deleting';
  return server === null ? 'ordered' : status;
}
