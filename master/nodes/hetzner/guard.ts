import { whyOverBudget } from '#master/core/fleet/budget.ts';
import { mayRelease, whyNoOrder, type ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { NodeId, CloudNode } from '#master/core/snapshot/snapshot.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { NodeOrder, Supply } from '../node.ts';
import { ApiProblem, isProblem } from './api/api-problem.ts';
import type { ServerOrder } from './api/hetzner-api.ts';
import { actionSchema, createdSchema, nothingSchema } from './api/schemas.ts';
import type { HetznerAction, PrimaryIp, Server } from './api/schemas.ts';
import type { Context } from './context.ts';
import type { MachineRecord } from './journal.ts';
import { isOurs, networkOf } from './labels.ts';
import type { MachinesOptions } from './options.ts';
import type { OrderRejections } from './rejections.ts';

export interface GuardOptions {
  readonly context: Pick<Context, 'api' | 'journal' | 'settings' | 'cluster' | 'now'>;
  readonly rejections: Pick<OrderRejections, 'soldOutUntil'>;
  /** Returns why ordering is paused, and until when; null if ordering is not paused. */
  readonly paused: () => Supply['paused'];
  /** Returns the price per hour of a type at a location (EUR, without VAT); null if it is not known. */
  readonly price: (type: string, location: string) => number | null;
  readonly month: MachinesOptions['month'];
}

type Wanted = Pick<NodeOrder, 'node' | 'type' | 'location'>;

/**
 * Sends all requests that create servers, delete servers or delete IPs, because these requests cost money or destroy
 * something. No other code sends such requests. Each attempt is checked right before it is sent, because the rules
 * may have changed since the decision. An order or a release must also be recorded in the journal first
 * (docs/adr/0018).
 */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Whether configure mode is on. In configure mode the rules neither order nor delete anything. */
  get isFrozen(): boolean {
    return this.#options.context.settings().provider.configure_mode;
  }

  /**
   * Checks whether an order is allowed, before it is recorded in the journal. @throws OverworldError ORDER_REFUSED
   */
  checkOrder(order: Wanted): void {
    const refusal = this.#refuseOrder(order);
    if (refusal !== null) throw refusal;
  }

  /**
   * Checks whether a release is allowed, before it is recorded in the journal. @throws OverworldError
   * RELEASE_REFUSED
   */
  checkRelease(node: NodeId, requester: ReleaseRequester): void {
    if (mayRelease(requester, this.isFrozen)) return;
    const advice = 'Release it by hand, or switch configure_mode off in the master configuration.';
    throw new OverworldError('RELEASE_REFUSED', { node, why: FROZEN, advice });
  }

  /** Returns whether an order whose outcome is unknown may be sent again. */
  mayRepeat(record: MachineRecord): boolean {
    return this.#refusePost(record, true) === null;
  }

  /**
   * Orders a server with a single request. If the outcome is unknown, the server may have been ordered
   * (docs/adr/0018).
   *
   * @param isRepeated whether the same order was sent before: pauses and limits then do not apply
   * @returns the server, and the actions that must finish before it exists
   * @throws OverworldError ORDER_REFUSED if the guard refused the request, so that it was not sent; ApiProblem
   */
  async createServer(
    record: MachineRecord,
    order: ServerOrder,
    isRepeated: boolean,
  ): Promise<{ server: Server; actions: HetznerAction[] }> {
    const { api } = this.#options.context;
    const created = await api().requester.send({
      what: 'POST /servers',
      isRepeatable: false,
      check: () => this.#refusePost(record, isRepeated),
      send: async ({ axios }) => (await axios.request({ method: 'POST', url: '/servers', data: order })).data,
      schema: createdSchema,
    });
    return { server: created.server, actions: [created.action, ...created.next_actions] };
  }

  /**
   * Starts to delete a server.
   *
   * @returns the action to wait for; null if the server no longer exists
   * @throws ApiProblem, also if the guard refuses the deletion; see {@link whyKept} and {@link isGuardRefusal}
   */
  deleteServer(server: Server): Promise<HetznerAction | null> {
    return this.#deleteServer(server, () => this.whyKept(server));
  }

  /**
   * Starts to delete a server of another network. Only a person may request it (docs/adr/0041).
   *
   * @param network id of the network that the person confirmed
   * @returns the action to wait for; null if the server no longer exists
   * @throws ApiProblem, also if the server belongs to this network, or does not belong to `network`
   */
  deleteForeignServer(server: Server, network: string): Promise<HetznerAction | null> {
    return this.#deleteServer(server, () => this.#whyForeignKept(server, network));
  }

  /**
   * Deletes a primary IP. Does nothing if it no longer exists.
   *
   * @throws ApiProblem, also if the guard refuses the deletion; see {@link whyIpKept}
   */
  deletePrimaryIp(ip: PrimaryIp): Promise<void> {
    return this.#deletePrimaryIp(ip, () => this.whyIpKept(ip));
  }

  /**
   * Deletes an unused primary IP of another network. Only a person may request it (docs/adr/0041).
   *
   * @throws ApiProblem, also if the IP is in use, belongs to this network, or does not belong to `network`
   */
  deleteForeignIp(ip: PrimaryIp, network: string): Promise<void> {
    const why = ip.assignee_id === null ? null : refused('the IP is in use', 'in_use');
    return this.#deletePrimaryIp(ip, () => this.#whyForeignKept(ip, network) ?? why);
  }

  /**
   * Returns the reason why a server must not be deleted. Null if it may be deleted. A server in the journal may be
   * deleted only if its release is recorded there. Any other server with the network's labels is a leftover; the
   * rules delete it, unless configure mode is on.
   */
  whyKept({ id, labels }: Pick<Server, 'id' | 'labels'>): ApiProblem | null {
    const { journal, cluster } = this.#options.context;
    // A person may have removed the labels in order to keep the server. The next synchronization restores them.
    if (!isOurs(labels, cluster)) return refused('the server lost the labels of this network', 'not_ours');
    const record = journal.machines.find(({ server }) => server === id);
    if (record === undefined) return this.#whyLeftoverKept();
    return record.phase === 'releasing' ? null : refused('the server is in use', 'in_use');
  }

  /** Returns why a primary IP must not be deleted; null if it may be deleted. */
  whyIpKept({ assignee_id, labels }: Pick<PrimaryIp, 'assignee_id' | 'labels'>): ApiProblem | null {
    if (!isOurs(labels, this.#options.context.cluster)) return refused('the IP is not ours', 'not_ours');
    return assignee_id === null ? this.#whyLeftoverKept() : refused('the IP is in use', 'in_use');
  }

  /**
   * Returns why a resource must not be deleted as a resource of `network`, which is another network; null if it may
   * be deleted.
   */
  #whyForeignKept({ labels }: Pick<Server, 'labels'>, network: string): ApiProblem | null {
    if (isOurs(labels, this.#options.context.cluster)) return refused('it belongs to this network', 'in_use');
    return networkOf(labels) === network
      ? null
      : refused(`it does not have the label of network ${network}`, 'not_ours');
  }

  async #deleteServer({ id }: Server, check: () => ApiProblem | null): Promise<HetznerAction | null> {
    try {
      return await this.#options.context.api().requester.send({
        what: `delete server ${id}`,
        isRepeatable: true,
        check,
        send: (client) => client.servers.delete(id),
        schema: actionSchema,
      });
    } catch (error) {
      if (isProblem(error, 'not_found')) return null;
      throw error;
    }
  }

  async #deletePrimaryIp({ id }: PrimaryIp, check: () => ApiProblem | null): Promise<void> {
    const url = `/primary_ips/${id}`;
    try {
      await this.#options.context.api().requester.send({
        what: `DELETE ${url}`,
        isRepeatable: true,
        check,
        send: async ({ axios }) => (await axios.request({ method: 'DELETE', url })).data,
        schema: nothingSchema,
      });
    } catch (error) {
      if (!isProblem(error, 'not_found')) throw error;
    }
  }

  #whyLeftoverKept(): ApiProblem | null {
    return mayRelease('rules', this.isFrozen) ? null : refused(FROZEN, 'configure_mode');
  }

  #refusePost(record: MachineRecord, isRepeated: boolean): OverworldError | null {
    const { node } = record;
    if (this.#options.context.journal.of(node)?.phase !== 'ordering') {
      const advice = 'A node with another number is ordered if one is needed.';
      return new OverworldError('ORDER_REFUSED', { node, why: 'its release was requested', advice });
    }
    return this.#refuseOrder(record, isRepeated);
  }

  #refuseOrder({ node, type, location }: Wanted, isRepeated = false): OverworldError | null {
    const { context, rejections, paused } = this.#options;
    const now = context.now();
    const until = rejections.soldOutUntil(type, location) ?? 0;
    const coming = context.journal.machines.filter((one) => one.node !== node && isComing(one));
    const wait = whyNoOrder(
      {
        configureMode: this.isFrozen,
        paused: isRepeated ? null : paused(),
        noOffer:
          isRepeated || until <= now ? null : { message: `${type} is not available in ${location}`, until },
        overBudget: isRepeated ? null : this.#whyOverBudget({ node, type, location }),
        coming: isRepeated ? 0 : coming.length,
      },
      now,
    );
    if (wait === null) return null;
    const isFrozen = wait.reason === 'CONFIGURE_MODE';
    const why = isFrozen ? FROZEN : wait.message;
    const advice = isFrozen
      ? 'Switch configure_mode off in the master configuration.'
      : 'It is ordered automatically afterwards.';
    return new OverworldError('ORDER_REFUSED', { node, why, advice });
  }

  /**
   * Checks the limits for an order. The price of an order that is not in the journal yet comes from the last price
   * list.
   */
  #whyOverBudget({ node, type, location }: Wanted): Pick<Wait, 'message' | 'until'> | null {
    const { context, price, month } = this.#options;
    const nodes = context.journal.machines.map(toRentedNode);
    const facts = {
      limits: context.settings().limits,
      paid: nodes.map(({ rental }) => rental),
      month: month(nodes),
    };
    const isRecorded = nodes.some((one) => one.node === node);
    // Without a price, the order is refused before it is recorded.
    return whyOverBudget(facts, isRecorded ? null : (price(type, location) ?? 0), context.now());
  }
}

const FROZEN = 'configure mode is on';

function toRentedNode({ node, since, hourlyPrice }: MachineRecord): CloudNode {
  return { node, rental: { since, hourlyPrice } };
}

/** Reports whether a server is ordered and has never been ready. */
function isComing({ phase, readyAt }: MachineRecord): boolean {
  return phase !== 'releasing' && readyAt === null;
}

type RefusalCode = (typeof REFUSAL_CODES)[number];
const REFUSAL_CODES = ['configure_mode', 'not_ours', 'in_use'] as const;

/**
 * Reports whether an error means that the guard refused a deletion. The guard checks each attempt, so it may refuse
 * a deletion that it allowed before.
 */
export function isGuardRefusal(error: unknown): error is ApiProblem {
  return isProblem(error, ...REFUSAL_CODES);
}

function refused(message: string, code: RefusalCode): ApiProblem {
  return new ApiProblem(message, { outcome: 'refused', code });
}
