import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { MachineSeed } from '../machines.ts';
import type { NodeOrder } from '../node.ts';
import type { Access } from './access.ts';
import { ApiProblem, describeProblem } from './api/api-problem.ts';
import type { ServerOrder } from './api/hetzner-api.ts';
import type { Context } from './context.ts';
import type { FirewallKeeper } from './firewall-keeper.ts';
import type { MachineRecord } from './journal.ts';
import { Ordering, type Choice } from './ordering.ts';
import type { PriceList } from './price-list.ts';
import { toRejection, type Rejections } from './rejections.ts';

/** Minimum delay before another order after a temporary failure, or one that users can fix immediately (ms). */
const MEND_MS = 60_000;

interface DeskParts {
  readonly context: Context;
  readonly access: Access;
  readonly refusals: Rejections;
  readonly prices: PriceList;
  readonly firewalls: FirewallKeeper;
}

/** Takes orders, and ensures that a failed order leaves nothing behind that costs money. */
export class OrderQueue {
  readonly #parts: DeskParts;
  readonly #ordering: Ordering;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#ordering = new Ordering(parts.context, parts.firewalls);
  }

  /** Orders a server. @throws OverworldError ORDER_REFUSED, PROVIDER_UNREACHABLE, DISK_FULL */
  async order(order: NodeOrder, seed: MachineSeed): Promise<void> {
    const choice = this.#choose(order);
    const record = await this.#ordering.intend(order, seed, choice);
    const ready = await this.#prepare(record, seed, choice);
    if (this.#isFrozen()) {
      // Configure mode was switched on during the preparation; nothing was ordered yet.
      await this.#parts.context.journal.forget(order.node);
      throw frozen(order.node);
    }
    const { type, location } = record;
    try {
      await this.#ordering.place(record, ready);
    } catch (error) {
      throw await this.#fail(record, error);
    }
    this.#parts.refusals.allow(type, location);
    this.#parts.refusals.resume();
  }

  #isFrozen(): boolean {
    return this.#parts.context.settings().provider.configure_mode;
  }

  #choose({ node, type, location }: NodeOrder): Choice {
    const { prices } = this.#parts;
    if (this.#isFrozen()) throw frozen(node);
    const choice = prices.choice(type, location);
    if (choice !== undefined) return choice;
    const why = `${type} is not sold in ${location}`;
    const advice = 'Change server_type or location in the master configuration.';
    throw new OverworldError('ORDER_REFUSED', { node, why, advice });
  }

  /** Prepares the order. If this fails, nothing was ordered. */
  async #prepare(record: MachineRecord, seed: MachineSeed, choice: Choice): Promise<ServerOrder> {
    const { context, access, refusals } = this.#parts;
    try {
      return await this.#ordering.prepare(record, seed.userData, choice);
    } catch (error) {
      await context.journal.forget(record.node);
      if (error instanceof OverworldError)
        refusals.pause(error.message, access.token, context.now() + MEND_MS);
      throw error instanceof ApiProblem ? this.#refuse(record, error) : error;
    }
  }

  /** @returns the error for the caller */
  async #fail(record: MachineRecord, error: unknown): Promise<unknown> {
    const { journal, log } = this.#parts.context;
    const { node } = record;
    if (!(error instanceof ApiProblem)) return error;
    if (error.outcome === 'refused') {
      // Either the server was created but is not usable, or it was never created.
      if ((journal.of(node)?.server ?? null) === null) await journal.forget(node);
      else await journal.change(node, { phase: 'releasing' });
    }
    log.warn({ node, why: describeProblem(error) }, 'an order failed');
    return this.#refuse(record, error);
  }

  #refuse({ node, type, location }: MachineRecord, problem: ApiProblem): OverworldError {
    const { context, access, refusals, firewalls } = this.#parts;
    const now = context.now();
    if (problem.outcome === 'unknown') {
      const error = new OverworldError('PROVIDER_UNREACHABLE', { why: describeProblem(problem) });
      refusals.pause(error.message, access.token, now + MEND_MS);
      return error;
    }
    const { scope, why, advice } = toRejection(problem, `${type} in ${location}`);
    const error = new OverworldError('ORDER_REFUSED', { node, why, advice });
    if (scope === 'pair') {
      refusals.avoid(type, location, now);
      return error;
    }
    const pauseMs = scope === 'moment' ? MEND_MS : context.times.pause;
    refusals.pause(`No node is ordered: ${why}. ${advice}`, access.token, now + pauseMs);
    if (scope === 'moment') firewalls.forget();
    return error;
  }
}

function frozen(node: NodeOrder['node']): OverworldError {
  const advice = 'Switch configure_mode off in the master configuration.';
  return new OverworldError('ORDER_REFUSED', { node, why: 'configure mode is on', advice });
}
