import { Deadline, monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Access } from './access.ts';
import { describeProblem, isProblem } from './api/api-problem.ts';
import type { Server } from './api/schemas.ts';
import type { Context } from './context.ts';
import type { FirewallKeeper } from './firewall/firewall-keeper.ts';
import type { ForeignServers } from './foreign-servers.ts';
import type { Guard } from './guard.ts';
import { clusterLabels } from './labels.ts';
import { InventorySync } from './inventory-sync.ts';
import type { PriceList } from './price-list.ts';

/** Maximum factor by which the interval between synchronizations grows after failures. */
const MAX_TIMES_LONGER = 6;

interface ProviderSyncParts {
  readonly context: Context;
  readonly access: Access;
  readonly guard: Guard;
  readonly firewalls: FirewallKeeper;
  readonly foreign: ForeignServers;
  readonly prices: PriceList;
  /** Called after each synchronization, in order to continue releases. */
  readonly onSynced: () => void;
}

/** Synchronizes with the provider at intervals, and reports the reason if a synchronization fails. */
export class ProviderSync {
  readonly #parts: ProviderSyncParts;
  readonly #inventory: InventorySync;
  #syncing: Promise<void> | null = null;
  readonly #nextSync = new Deadline();
  readonly #nextSweep = new Deadline();
  #failures = 0;
  /**
   * Whether a change happened during the current synchronization, so that another synchronization must follow
   * immediately.
   */
  #isHurried = false;
  #token = '';
  #listed = false;
  #trouble: string | null = null;
  #isBlind = false;
  /** When the list of servers was requested that has not arrived yet (ms, monotonic). Null if none is awaited. */
  #awaitedSince: number | null = null;

  constructor(parts: ProviderSyncParts) {
    this.#parts = parts;
    this.#inventory = new InventorySync(parts.context, parts.guard, parts.prices);
  }

  /** Whether the provider has listed all servers at least once since this master started. */
  get listed(): boolean {
    return this.#listed;
  }

  /** Current problem as one sentence; null if there is none. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /**
   * Whether the master cannot see the servers of its nodes: the provider did not answer the last request for their
   * list, has not answered the current one for `times.blind` ms, or there is no valid token of their project.
   */
  get isBlind(): boolean {
    const since = this.#awaitedSince;
    return this.#isBlind || (since !== null && monotonicMs() - since >= this.#parts.context.times.blind);
  }

  /** Time until the next attempt after a failure (whole ms). */
  get dueInMs(): number {
    return this.#nextSync.leftMs;
  }

  /**
   * Starts a synchronization if it is due and none is running. Does not wait for its end, so that a slow provider
   * does not delay rounds of the control loop.
   */
  begin(): void {
    const { access, prices, firewalls } = this.#parts;
    if (access.token !== this.#token) {
      this.#token = access.token;
      this.hurry();
      prices.forget();
      firewalls.forget();
    }
    if (!access.isUsable) {
      this.#trouble = this.#withoutToken();
      this.#isBlind = this.#trouble !== null;
      return;
    }
    if (this.#syncing !== null || !this.#nextSync.isOver) return;
    this.#isHurried = false;
    this.#syncing = this.#sync()
      .then(() => this.#succeed())
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#syncing = null));
  }

  /**
   * Makes the next {@link ProviderSync.begin} start a synchronization even if none is due yet.
   *
   * @param sweep whether the synchronization also searches for leftovers
   */
  hurry({ sweep = false } = {}): void {
    this.#isHurried = true;
    this.#nextSync.clear();
    if (sweep) this.#nextSweep.clear();
  }

  /** Resolves when no synchronization is in progress. */
  async settled(): Promise<void> {
    await this.#syncing;
  }

  async #sync(): Promise<void> {
    const { context, access, firewalls, foreign, prices, onSynced } = this.#parts;
    const { journal, times } = context;
    const { mark } = access;
    const priced = Promise.allSettled([prices.refresh()]);
    const servers = await this.#list(mark);
    // The list of the earlier token's project proves nothing about the new token.
    if (access.mark !== mark) return;
    await journal.setTokenMark(mark);
    const recorded = new Set(journal.machines.map(({ server }) => server));
    // A server that is adopted gets its price from the list. It is adopted even if the list cannot be read.
    if (servers.some(({ id }) => !recorded.has(id))) await priced;
    const ours = await this.#inventory.sync(servers);
    this.#listed = true;
    onSynced();
    const [pricing] = await priced;
    if (pricing.status === 'rejected') throw pricing.reason;
    const isSweepDue = this.#nextSweep.isOver;
    if (isSweepDue) firewalls.forget();
    if (journal.machines.length > 0) await firewalls.applyTo(ours);
    else await firewalls.remove();
    if (isSweepDue || foreign.isChanging) await foreign.refresh();
    if (!isSweepDue) return;
    await this.#inventory.sweepPrimaryIps();
    this.#nextSweep.set(times.sweep);
  }

  /**
   * Lists the servers of the network.
   *
   * @param mark mark of the current token
   * @throws ApiProblem; OtherProject
   */
  async #list(mark: string): Promise<Server[]> {
    const { api, cluster } = this.#parts.context;
    this.#awaitedSince = monotonicMs();
    try {
      const servers = await api().servers(clusterLabels(cluster));
      this.#checkProject(servers, mark);
      this.#isBlind = false;
      return servers;
    } catch (error) {
      this.#isBlind =
        isProblem(error, 'network', 'unauthorized', 'forbidden') || error instanceof OtherProject;
      throw error;
    } finally {
      this.#awaitedSince = null;
    }
  }

  /**
   * Throws if the token belongs to another project. Such a token lists none of the known servers, but the records of
   * these servers must stay, because the servers cost money.
   *
   * @param mark mark of the token with which the servers were listed
   */
  #checkProject(servers: readonly Server[], mark: string): void {
    const { journal } = this.#parts.context;
    const known = journal.machines.flatMap(({ server }) => server ?? []);
    if (!journal.isOtherToken(mark) || known.length === 0) return;
    if (servers.some(({ id }) => known.includes(id))) return;
    throw new OtherProject(known.length);
  }

  #withoutToken(): string | null {
    const { length } = this.#parts.context.journal.machines;
    if (length === 0) return null;
    const why = `no usable API token is set, but ${length} cloud node(s) are known; set provider.api_token in the master configuration`;
    return toTrouble(why);
  }

  #succeed(): void {
    const { api, times } = this.#parts.context;
    this.#failures = 0;
    this.#trouble = null;
    if (this.#isHurried) return;
    this.#nextSync.set(times.refresh * api().requester.budget.slowdown);
  }

  #fail(error: unknown): void {
    const { times, log } = this.#parts.context;
    if (isProblem(error, 'closed')) return;
    this.#failures += 1;
    this.#nextSync.set(times.refresh * Math.min(MAX_TIMES_LONGER, this.#failures));
    this.#trouble = describeTrouble(error);
    log.warn({ why: describeProblem(error), failures: this.#failures }, 'observing the cloud nodes failed');
  }
}

class OtherProject extends Error {
  constructor(known: number) {
    super(
      `the new API token sees none of the ${known} known cloud node(s), so it seems to belong to another project; set a token of their project, or release these nodes by hand, but their servers may then still exist and cost money`,
    );
  }
}

function describeTrouble(error: unknown): string {
  if (error instanceof OverworldError) return error.message;
  if (isProblem(error, 'unauthorized', 'forbidden', 'token_readonly')) {
    return toTrouble(
      'it does not accept the API token; set a valid one (read and write) as provider.api_token',
    );
  }
  return toTrouble(describeProblem(error));
}

function toTrouble(why: string): string {
  return new OverworldError('PROVIDER_UNREACHABLE', { why }).message;
}
