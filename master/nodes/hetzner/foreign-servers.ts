import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import { ApiProblem, describeProblem, isProblem } from './api/api-problem.ts';
import type { Server } from './api/schemas.ts';
import type { Context } from './context.ts';
import { isGuardRefusal, type Guard } from './guard.ts';
import { clusterLabels, isOurs, networkOf } from './labels.ts';
import type { PriceList } from './price-list.ts';

/**
 * Lists the servers of other networks in the provider's project, and deletes those that a person names. These servers
 * are never changed in any other way, because another master may manage them (docs/adr/0041).
 */
export class ForeignServers {
  readonly #context: Context;
  readonly #guard: Guard;
  readonly #prices: PriceList;
  #list: readonly ForeignServer[] = [];
  /** Networks from which a person has deleted at least one server since this master started. */
  readonly #cleared = new Set<string>();

  constructor(context: Context, guard: Guard, prices: PriceList) {
    this.#context = context;
    this.#guard = guard;
    this.#prices = prices;
  }

  /** Servers as last listed, sorted by network and name. It is the same array object until the list changes. */
  get list(): readonly ForeignServer[] {
    return this.#list;
  }

  /** Whether a server is being deleted, so that the list will change soon. */
  get isChanging(): boolean {
    return this.#list.some(({ deleting }) => deleting);
  }

  /**
   * Updates the list. If a person has deleted servers of a network and none is left, deletes the network's remaining
   * firewalls and primary IPs. A failure is only logged, and the previous list stays, because this network's nodes do
   * not depend on the list.
   */
  async refresh(): Promise<void> {
    const { api, log } = this.#context;
    try {
      this.#setList((await api().serversOfAllNetworks()).flatMap((server) => this.#toForeign(server)));
      for (const network of this.#cleared) {
        if (this.#list.every((one) => one.network !== network)) await this.#deleteLeftovers(network);
      }
    } catch (error) {
      log.warn({ why: describeProblem(error) }, 'the servers of other networks could not be listed');
    }
  }

  /**
   * Requests the deletion of a server. Resolves when the provider has accepted it.
   *
   * @throws OverworldError NODE_NOT_FOUND, RELEASE_REFUSED, PROVIDER_UNREACHABLE
   */
  async delete({ name, network }: Pick<ForeignServer, 'name' | 'network'>): Promise<void> {
    const { api, log } = this.#context;
    try {
      const server = await api().findServer(name);
      if (server === null) throw new OverworldError('NODE_NOT_FOUND', { node: name });
      await this.#guard.deleteForeignServer(server, network);
      log.warn({ server: name, network }, 'a server of another network is deleted, as a person requested');
      this.#cleared.add(network);
      this.#setList(this.#list.map((one) => (one.name === name ? { ...one, deleting: true } : one)));
    } catch (error) {
      throw toDeletionError(name, error);
    }
  }

  #setList(list: readonly ForeignServer[]): void {
    const sorted = list.toSorted((a, b) => compare(a.network, b.network) || compareNames(a.name, b.name));
    if (JSON.stringify(sorted) !== JSON.stringify(this.#list)) this.#list = sorted;
  }

  #toForeign(server: Server): ForeignServer[] {
    const network = networkOf(server.labels);
    if (network === undefined || isOurs(server.labels, this.#context.cluster)) return [];
    return [
      {
        name: server.name,
        network,
        address: server.public_net.ipv4?.ip ?? null,
        type: server.server_type.name,
        location: server.location.name,
        since: server.created,
        hourlyPrice: this.#prices.hourlyPriceOf(server),
        deleting: server.status === 'deleting' || this.#isBeingDeleted(server.name),
      },
    ];
  }

  #isBeingDeleted(name: string): boolean {
    return this.#list.some((one) => one.name === name && one.deleting);
  }

  /** Deletes the firewalls and the unused primary IPs of a network that has no servers any more. */
  async #deleteLeftovers(network: string): Promise<void> {
    const { api, log } = this.#context;
    for (const ip of await api().primaryIps(clusterLabels(network))) {
      try {
        await this.#guard.deleteForeignIp(ip, network);
      } catch (error) {
        if (!isGuardRefusal(error) && !isProblem(error, 'protected')) throw error;
        log.warn({ ip: ip.ip, why: describeProblem(error) }, 'an IP of another network is kept');
      }
    }
    for (const { id, name, labels } of await api().firewalls()) {
      if (networkOf(labels) !== network) continue;
      try {
        await api().deleteFirewall(id);
        log.info({ firewall: name }, 'the firewall of another network was deleted with its last server');
      } catch (error) {
        // The provider frees the firewall some time after it has deleted the server.
        if (isProblem(error, 'resource_in_use')) return;
        throw error;
      }
    }
    this.#cleared.delete(network);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Compares names so that `node-2` comes before `node-10`. */
function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function toDeletionError(name: string, error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  const why = describeProblem(error);
  if (error.outcome === 'unknown') return new OverworldError('PROVIDER_UNREACHABLE', { why });
  const advice = isProblem(error, 'protected')
    ? "Remove the protection in the provider's console, and delete it again."
    : 'It was not deleted, and still costs money.';
  return new OverworldError('RELEASE_REFUSED', { node: name, why, advice });
}
