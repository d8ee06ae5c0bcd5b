import { isIP } from 'node:net';
import { serialQueue } from '#master/store/serial.ts';
import { awaitActions } from '../actions.ts';
import { ApiProblem, isProblem } from '../api/api-problem.ts';
import type { HetznerAction, Firewall, Server } from '../api/schemas.ts';
import type { Context } from '../context.ts';
import { computeFirewalls, toComparable, type ApiFirewallRule } from './firewall-rules.ts';
import { clusterLabels, isOurs, resourceName } from '../labels.ts';
import type { MasterAddresses } from './master-addresses.ts';

/**
 * Creates this network's firewalls at the provider, keeps their rules up to date, and deletes them when they are no
 * longer needed.
 */
export class FirewallKeeper {
  readonly #context: Context;
  readonly #masters: MasterAddresses;
  readonly #inTurn = serialQueue();
  /** Wanted rules and ids of the firewalls at the last update; null if the firewalls must be read again. */
  #kept: { readonly wanted: string; readonly ids: readonly number[] } | null = null;
  /** Whether the provider may have firewalls of this network. */
  #mayExist = true;

  constructor(context: Context, masters: MasterAddresses) {
    this.#context = context;
    this.#masters = masters;
  }

  /** Makes the next {@link FirewallKeeper.keep} read the firewalls from the provider. */
  forget(): void {
    this.#kept = null;
    this.#mayExist = true;
  }

  /**
   * Updates the firewalls so that they have the desired rules. Sends no request if nothing has changed since the
   * last update.
   *
   * @returns ids of the firewalls for the next order
   * @throws ApiProblem
   */
  keep(): Promise<readonly number[]> {
    return this.#inTurn(async () => {
      const lists = this.#compute();
      const wanted = JSON.stringify(lists.map(toComparable));
      if (this.#kept?.wanted === wanted) return this.#kept.ids;
      this.#kept = null;
      this.#mayExist = true;
      const ids = await this.#bringTo(lists);
      this.#kept = { wanted, ids };
      return ids;
    });
  }

  /**
   * Applies the firewalls to those servers that do not have them, for example new servers, or servers from which a
   * person has detached a firewall. @throws ApiProblem
   */
  async applyTo(servers: readonly Server[]): Promise<void> {
    const ids = await this.keep();
    const { api, times, log } = this.#context;
    const actions: HetznerAction[] = [];
    for (const { id, name, public_net } of servers) {
      const present = new Set(public_net.firewalls.map((firewall) => firewall.id));
      for (const firewall of ids.filter((one) => !present.has(one))) {
        log.info({ server: name, firewall }, 'a firewall is applied to a node that lacks it');
        try {
          actions.push(...(await api().applyFirewall(firewall, id)));
        } catch (error) {
          if (!isProblem(error, 'firewall_already_applied')) throw error;
        }
      }
    }
    await awaitActions(api(), actions, times);
  }

  /**
   * Deletes the firewalls if no machine is left. If a firewall is attached to a server that is still being deleted, a
   * later call deletes the firewall.
   *
   * @throws ApiProblem
   */
  remove(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#mayExist || this.#context.journal.machines.length > 0) return;
      this.#kept = null;
      for (const { id, name } of await this.#existing()) {
        try {
          await this.#context.api().deleteFirewall(id);
          this.#context.log.info({ firewall: name }, 'deleted a firewall because no nodes are left');
        } catch (error) {
          if (isProblem(error, 'resource_in_use')) return;
          throw error;
        }
      }
      this.#mayExist = false;
    });
  }

  #compute(): ApiFirewallRule[][] {
    const { journal, settings } = this.#context;
    const { firewallRules, masterAddress, provider } = settings();
    // The configured address alone is not used: behind a router, nodes see another address.
    const { known, last } = this.#masters;
    const masters = known.length === 0 ? [] : [...known, ...usable(masterAddress)];
    return computeFirewalls({
      rules: firewallRules,
      sshPorts: [provider.server_port, ...journal.machines.map(({ sshPort }) => sshPort)],
      masters,
      balancers: [...last, ...usable(masterAddress)],
      nodes: journal.machines.flatMap(({ address }) => address ?? []),
    });
  }

  async #bringTo(lists: readonly ApiFirewallRule[][]): Promise<number[]> {
    const { api, times, log } = this.#context;
    const existing = await this.#existing();
    const ids: number[] = [];
    const actions: HetznerAction[] = [];
    for (const [index, rules] of lists.entries()) {
      const name = this.#name(index);
      const found = existing.find((firewall) => firewall.name === name);
      if (found === undefined) {
        log.info({ firewall: name }, 'creating a firewall for the nodes');
        ids.push((await this.#create(name, rules)).id);
        continue;
      }
      ids.push(found.id);
      if (toComparable(found.rules) !== toComparable(rules)) {
        log.info({ firewall: name }, "updating the rules of the nodes' firewall");
        actions.push(...(await api().setFirewallRules(found.id, rules)));
      }
    }
    // Removes the rules of firewalls that are no longer needed. Such a firewall stays attached, because detaching it
    // from each server has no benefit.
    for (const { id, name, rules } of existing) {
      const isNeeded = lists.some((_, index) => this.#name(index) === name);
      if (!isNeeded && rules.length > 0) actions.push(...(await api().setFirewallRules(id, [])));
    }
    await awaitActions(api(), actions, times);
    return ids;
  }

  async #create(name: string, rules: readonly ApiFirewallRule[]): Promise<Firewall> {
    const { api, cluster } = this.#context;
    try {
      return await api().createFirewall(name, clusterLabels(cluster), rules);
    } catch (error) {
      if (!isProblem(error, 'uniqueness_error')) throw error;
      // An earlier attempt created the firewall, but its answer was lost.
      const found = (await this.#existing()).find((firewall) => firewall.name === name);
      if (found !== undefined) return found;
      throw new ApiProblem(
        `the project has a firewall "${name}" that does not belong to this network; rename or delete it in the provider's console`,
        { outcome: 'refused', code: 'firewall_name_taken' },
      );
    }
  }

  async #existing(): Promise<Firewall[]> {
    const { api, cluster } = this.#context;
    return (await api().firewalls()).filter(({ labels }) => isOurs(labels, cluster));
  }

  #name(index: number): string {
    const name = resourceName(this.#context.cluster);
    return index === 0 ? name : `${name}-${index + 1}`;
  }
}

/**
 * Returns a list with the address if other machines can reach it: it is a valid IP address, no loopback address and
 * no wildcard. Otherwise returns an empty list.
 */
function usable(address: string): string[] {
  const isLoopback =
    address.startsWith('127.') || address === '::1' || address === '0.0.0.0' || address === '::';
  return isIP(address) === 0 || isLoopback ? [] : [address];
}
