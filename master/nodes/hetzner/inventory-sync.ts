import { describeProblem, isProblem, type ApiProblem } from './api/api-problem.ts';
import type { Server } from './api/schemas.ts';
import type { Context } from './context.ts';
import { isGuardRefusal, type Guard } from './guard.ts';
import type { MachineRecord } from './journal.ts';
import { clusterLabels, toLabels, withOurs } from './labels.ts';
import type { PriceList } from './price-list.ts';
import { reconcile, type InventoryDifferences } from './reconcile.ts';

/** Reads the provider's list of this network's servers, and updates journal and labels to match. */
export class InventorySync {
  readonly #context: Context;
  readonly #guard: Guard;
  readonly #prices: PriceList;
  /** Ids of the unknown and superfluous servers that are in the log already, so that each is logged only once. */
  readonly #loggedStrangers = new Set<number>();

  constructor(context: Context, guard: Guard, prices: PriceList) {
    this.#context = context;
    this.#guard = guard;
    this.#prices = prices;
  }

  /**
   * Updates journal and labels from the provider's list. Looks up each recorded server that is not on the list, and
   * deletes a second server of the same node.
   *
   * @returns the servers that are in the journal now
   * @throws ApiProblem; OverworldError DISK_FULL
   */
  async sync(servers: readonly Server[]): Promise<readonly Server[]> {
    const { journal, now, times } = this.#context;
    const findings = reconcile({
      servers,
      records: journal.machines,
      busy: journal.busy,
      now: now(),
      graceMs: times.grace,
      hourlyPriceOf: (server) => this.#prices.hourlyPriceOf(server),
    });
    await this.#writeDown(findings);
    const found = await this.#lookForMissing(findings.missing);
    this.#logUnknownServers(findings);
    for (const stray of findings.strays) await this.#deleteStray(stray);
    const ours = [...servers, ...found].filter(({ id }) =>
      journal.machines.some(({ server }) => server === id),
    );
    for (const server of ours) await this.#relabel(server);
    return ours;
  }

  async #writeDown({ adopted, changed, forgotten }: InventoryDifferences): Promise<void> {
    const { journal, log } = this.#context;
    for (const record of adopted) {
      await journal.add(record);
      log.info(
        { node: record.node, server: record.server },
        'a server with the labels of this network was taken over',
      );
    }
    for (const { node, change } of changed) await journal.change(node, change);
    for (const node of forgotten) {
      await journal.forget(node);
      log.warn({ node }, 'an unconfirmed order created no server; its record was removed');
    }
  }

  /**
   * Looks up by id the servers that are missing from the list, because the list may be outdated, and labels may have
   * been removed by hand. Returns those that exist, and removes the records of the others. If the token changes
   * meanwhile, keeps the records.
   */
  async #lookForMissing(missing: readonly MachineRecord[]): Promise<Server[]> {
    const { api, isTokenProven, journal, log } = this.#context;
    const found: Server[] = [];
    for (const { node, server: id } of missing) {
      const isProven = isTokenProven();
      const server = id === null ? null : await api().server(id);
      if (server !== null) {
        found.push(server);
        continue;
      }
      // The node may have been released and ordered again in the meantime.
      if (!isProven || journal.of(node)?.server !== id) continue;
      await journal.forget(node);
      log.warn({ node, server: id }, 'a node was deleted outside of Overworld');
    }
    return found;
  }

  #logUnknownServers({ strangers }: InventoryDifferences): void {
    for (const { id, name } of strangers) {
      if (this.#loggedStrangers.has(id)) continue;
      this.#loggedStrangers.add(id);
      this.#context.log.warn(
        { server: name },
        'a server has the label of this network but names no node; it is left unchanged and still costs money',
      );
    }
  }

  async #deleteStray(server: Server): Promise<void> {
    const { log } = this.#context;
    const { id, name } = server;
    const kept = this.#guard.whyKept(server);
    if (kept !== null) {
      this.#logKeptStray(server, kept);
      return;
    }
    log.warn({ server: name, id }, 'a second server for the same node is deleted');
    try {
      await this.#guard.deleteServer(server);
    } catch (error) {
      if (isGuardRefusal(error)) this.#logKeptStray(server, error);
      else if (isProblem(error, 'locked', 'protected'))
        log.warn({ server: name, why: describeProblem(error) }, 'it cannot be deleted now');
      else throw error;
    }
  }

  #logKeptStray({ id, name }: Server, { message }: ApiProblem): void {
    if (this.#loggedStrangers.has(id)) return;
    this.#loggedStrangers.add(id);
    this.#context.log.warn({ server: name, id, why: message }, 'a second server for the same node is kept');
  }

  async #relabel(server: Server): Promise<void> {
    const { api, journal, cluster } = this.#context;
    const record = journal.machines.find((one) => one.server === server.id);
    if (record === undefined) return;
    const labels = withOurs(server.labels, toLabels(cluster, record));
    if (!isSame(labels, server.labels)) await api().relabel(server.id, labels);
  }

  /**
   * Deletes unused primary IPs with the network's labels, because each costs money even without a server. Keeps and
   * logs those that are protected or that the guard keeps.
   *
   * @throws ApiProblem
   */
  async sweepPrimaryIps(): Promise<void> {
    const { api, cluster, log } = this.#context;
    for (const primaryIp of await api().primaryIps(clusterLabels(cluster))) {
      if (this.#guard.whyIpKept(primaryIp) !== null) continue;
      const { ip, protection } = primaryIp;
      if (protection.delete) {
        log.warn({ ip }, 'an unused primary IP is protected from deletion and still costs money');
        continue;
      }
      try {
        await this.#guard.deletePrimaryIp(primaryIp);
      } catch (error) {
        if (!isGuardRefusal(error)) throw error;
        log.warn({ ip, why: error.message }, 'an unused primary IP is kept');
        continue;
      }
      log.info({ ip }, 'an unused primary IP was deleted');
    }
  }
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
