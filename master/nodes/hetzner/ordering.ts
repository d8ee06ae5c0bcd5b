import { randomBytes } from 'node:crypto';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { MachineSeed } from '../machines.ts';
import type { NodeOrder } from '../node.ts';
import type { Access } from './access.ts';
import { awaitActions } from './actions.ts';
import { ApiProblem, describeProblem, isProblem } from './api/api-problem.ts';
import type { ServerOrder } from './api/hetzner-api.ts';
import { retryDelayMs } from './api/retry.ts';
import type { HetznerAction, Server } from './api/schemas.ts';
import type { Context } from './context.ts';
import type { FirewallKeeper } from './firewall/firewall-keeper.ts';
import type { Guard } from './guard.ts';
import type { MachineRecord } from './journal.ts';
import { clusterLabels, fromLabels, isOurs, serverName } from './labels.ts';
import type { PricedType, PriceList } from './price-list.ts';
import { toRecord } from './reconcile.ts';
import { toRejection, type OrderRejections } from './rejections.ts';
import { prepareServerOrder } from './server-order.ts';

/**
 * Maximum number of POST requests for one order. Before each repetition, the master searches for a server with the
 * ordered name, in case an earlier request created it.
 */
const MAX_POSTS = 5;

/** Minimum delay before another order after a failure that is temporary or that users can fix immediately (ms). */
const MEND_MS = 60_000;

/** A created server, and the actions that must finish before it is usable. */
interface Ordered {
  readonly server: Server;
  readonly actions: HetznerAction[];
}

/** An order, and the token with which it began. */
interface Attempt {
  readonly record: MachineRecord;
  readonly token: string;
}

interface OrderingParts {
  readonly context: Context;
  readonly access: Access;
  readonly guard: Guard;
  readonly rejections: OrderRejections;
  readonly prices: PriceList;
  readonly firewalls: FirewallKeeper;
}

/**
 * Orders single servers. After a crash or a lost answer at any point, no server that costs money is forgotten, and a
 * failed order leaves nothing behind (docs/adr/0018).
 */
export class Ordering {
  readonly #parts: OrderingParts;

  constructor(parts: OrderingParts) {
    this.#parts = parts;
  }

  /**
   * Orders a server, and resolves when the provider has created it. After an error, the record stays in the journal
   * if a server may have been created.
   *
   * @throws OverworldError ORDER_REFUSED; PROVIDER_UNREACHABLE if the outcome is unknown; DISK_FULL
   */
  async order(order: NodeOrder, seed: MachineSeed): Promise<void> {
    const { guard, rejections } = this.#parts;
    guard.checkOrder(order);
    const choice = this.#choose(order);
    // An admin may set another token meanwhile. A refusal concerns only the token with which the order began.
    const { token } = this.#parts.access;
    const record = await this.#intend(order, seed, choice);
    const attempt = { record, token };
    const ready = await this.#prepare(attempt, seed, choice);
    try {
      await this.#place(record, ready);
    } catch (error) {
      throw await this.#fail(attempt, error);
    }
    // The pair of type and location is allowed again only when the node is ready.
    rejections.resume();
  }

  #choose({ node, type, location }: NodeOrder): PricedType {
    const choice = this.#parts.prices.choice(type, location);
    if (choice !== undefined) return choice;
    const why = `${type} is not sold in ${location}`;
    const advice = 'Change server_type or location in the master configuration.';
    throw new OverworldError('ORDER_REFUSED', { node, why, advice });
  }

  /**
   * Records the order in the journal. From then on the machine is listed.
   *
   * @throws OverworldError DISK_FULL; the machine is not listed in that case
   */
  async #intend(
    { node, type, location, ramMb }: NodeOrder,
    seed: MachineSeed,
    choice: PricedType,
  ): Promise<MachineRecord> {
    const { journal, now, cluster, settings } = this.#parts.context;
    const record: MachineRecord = {
      node,
      name: serverName(cluster, node),
      server: null,
      phase: 'ordering',
      status: 'starting',
      address: null,
      type,
      location,
      since: now(),
      hourlyPrice: choice.hourlyPrice,
      ramMb,
      cores: choice.cores,
      sshPort: settings().provider.server_port,
      hostKeys: [seed.hostKey],
      readyAt: null,
    };
    await journal.add(record);
    return record;
  }

  /** Collects what the request needs. If this fails, nothing was ordered. */
  async #prepare(attempt: Attempt, { userData }: MachineSeed, choice: PricedType): Promise<ServerOrder> {
    const { context, firewalls, rejections } = this.#parts;
    const { record, token } = attempt;
    const { architecture } = choice;
    try {
      return await prepareServerOrder({ record, userData, architecture }, context, firewalls);
    } catch (error) {
      await context.journal.forget(record.node);
      if (error instanceof OverworldError) rejections.pause(error.message, token, context.now() + MEND_MS);
      throw error instanceof ApiProblem ? this.#reject(attempt, error) : error;
    }
  }

  /**
   * Orders the server of a record and waits until the provider has created it.
   *
   * @throws OverworldError ORDER_REFUSED: nothing was sent; ApiProblem `refused`: the server does not exist, or an
   *   action has failed, so that the server is not usable and must be deleted; `unknown`: the server may exist
   */
  async #place(record: MachineRecord, order: ServerOrder): Promise<void> {
    const { api, journal, times } = this.#parts.context;
    // This client also works after the token has been removed from the configuration.
    const client = api();
    const { server, actions } = await this.#post(record, order);
    const { phase, ...found } = toRecord(server, journal.of(record.node) ?? record);
    // If a release was requested in the meantime, the phase is kept.
    await journal.change(
      record.node,
      journal.of(record.node)?.phase === 'releasing' ? found : { ...found, phase },
    );
    await Promise.all([awaitActions(client, actions, times), this.#introduce(server)]);
    // The actions have finished, so the server is on. The next synchronization would report that later.
    await journal.change(record.node, { status: 'on' });
  }

  /**
   * Sends the order. If the order may have created the server, or if the name is in use, searches for the server by
   * name. Repeats the order if the search does not find the server, with another name if another server has the name
   * (docs/adr/0018).
   *
   * @throws OverworldError ORDER_REFUSED: nothing was sent; ApiProblem `refused` only if no request created the
   *   server
   */
  async #post(record: MachineRecord, order: ServerOrder): Promise<Ordered> {
    const { guard, context } = this.#parts;
    const { api, log, times, journal } = context;
    let name = order.name;
    /**
     * Problem of the last request that may have created the server; null if it is certain that no request created it.
     */
    let unclear: ApiProblem | null = null;
    for (let posts = 1; ; posts += 1) {
      try {
        return await guard.createServer(record, { ...order, name }, posts > 1);
      } catch (error) {
        // Even if the guard refuses to repeat the request, an earlier request may have been accepted.
        if (!(error instanceof ApiProblem)) throw unclear ?? error;
        if (error.outcome === 'unknown') unclear = error;
        const isTaken = isProblem(error, 'uniqueness_error');
        if (unclear === null && !isTaken) throw error;
        log.warn(
          { name, posts, why: describeProblem(error) },
          'the outcome of the order is unknown; searching for the server',
        );
        const { found, isForeign } = await this.#find(name, record).catch((problem: unknown) => {
          throw unclear ?? problem;
        });
        if (found !== null) return found;
        if (isForeign) {
          // Names are unique, so no request of this order created a server of this name.
          unclear = null;
          const taken = name;
          name = `${order.name}-${randomBytes(2).toString('hex')}`;
          log.warn({ taken, name }, 'another server has the name of a node; using another name');
          await journal.change(record.node, { name });
        }
        const isFinal = error.outcome === 'refused' && !isTaken;
        if (isFinal || posts >= MAX_POSTS || !guard.mayRepeat(record)) throw unclear ?? error;
        await api().requester.pause(retryDelayMs(posts, times.retry, Math.random()));
      }
    }
  }

  /**
   * Searches for the server of a record by its name.
   *
   * @returns `found`: the server, or null; `isForeign`: whether a server that does not belong to the record has the
   *   name
   */
  async #find(name: string, { node }: MachineRecord): Promise<{ found: Ordered | null; isForeign: boolean }> {
    const { api, cluster } = this.#parts.context;
    const server = await api().findServer(name);
    if (server === null) return { found: null, isForeign: false };
    const { id, labels } = server;
    const isMeant = isOurs(labels, cluster) && fromLabels(labels)?.node === node;
    if (!isMeant) return { found: null, isForeign: true };
    return { found: { server, actions: await api().serverActions(id) }, isForeign: false };
  }

  /**
   * Updates the firewall so that this server and the other nodes can reach each other's services. Also labels the
   * server's IPs. An IP that remains after the server is deleted still costs money, and the label is needed to find
   * it. A failure does not affect the order: later synchronizations update the firewall.
   */
  async #introduce({ public_net: { ipv4, ipv6 }, name }: Server): Promise<void> {
    const { api, cluster, log } = this.#parts.context;
    const ips = [ipv4?.id, ipv6?.id].flatMap((id) => id ?? []);
    const done = await Promise.allSettled([
      this.#parts.firewalls.keep(),
      ...ips.map(async (id) => api().labelPrimaryIp(id, clusterLabels(cluster))),
    ]);
    for (const one of done) {
      if (one.status === 'fulfilled') continue;
      log.warn(
        { server: name, why: describeProblem(one.reason) },
        'the firewall or the IP labels of a new node could not be updated',
      );
    }
  }

  /**
   * Handles a failed order: removes its record, or marks the server for deletion.
   *
   * @returns the error for the caller
   */
  async #fail(attempt: Attempt, error: unknown): Promise<unknown> {
    const { journal, log } = this.#parts.context;
    const { node } = attempt.record;
    if (hasCode(error, 'ORDER_REFUSED')) await journal.forget(node);
    if (!(error instanceof ApiProblem)) return error;
    if (error.outcome === 'refused') {
      // Without an id, the server was never created. Otherwise it was created but is not usable, and is deleted.
      if ((journal.of(node)?.server ?? null) === null) await journal.forget(node);
      else await journal.change(node, { phase: 'releasing' });
    }
    log.warn({ node, why: describeProblem(error) }, 'an order failed');
    return this.#reject(attempt, error);
  }

  /**
   * Pauses or restricts further orders after a failed order, depending on the reason. @returns the error for the
   * caller
   */
  #reject({ record, token }: Attempt, problem: ApiProblem): OverworldError {
    const { context, rejections, firewalls } = this.#parts;
    const { node, type, location } = record;
    const now = context.now();
    if (problem.outcome === 'unknown') {
      const error = new OverworldError('PROVIDER_UNREACHABLE', { why: describeProblem(problem) });
      rejections.pause(error.message, token, now + MEND_MS);
      return error;
    }
    const { scope, why, advice } = toRejection(problem, `${type} in ${location}`);
    const error = new OverworldError('ORDER_REFUSED', { node, why, advice });
    if (scope === 'pair') {
      rejections.avoid(type, location, now);
      return error;
    }
    const pauseMs = scope === 'moment' ? MEND_MS : context.times.pause;
    rejections.pause(`No node is ordered: ${why}. ${advice}`, token, now + pauseMs);
    if (scope === 'moment') firewalls.forget();
    return error;
  }
}
