import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { Costs } from '#shared/model/history.ts';
import { forecastMonth } from '#master/core/fleet/budget.ts';
import type { MonthCosts, CloudNode } from '#master/core/snapshot/snapshot.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import type { Environment } from '../context/environment.ts';
import { countHours, ledgerSchema, monthEnd, newLedger, toCosts, type Ledger } from './ledger.ts';

/**
 * Costs of cloud nodes, stored in `costs.json`. All methods also count hours that have begun since the last
 * {@link CostStore.count}, so that limits apply to these hours, too.
 */
export class CostStore {
  readonly #now: () => number;
  readonly #file: JsonFile<Ledger>;
  #ledger: Ledger;

  private constructor(file: JsonFile<Ledger>, now: () => number) {
    this.#file = file;
    this.#ledger = file.data;
    this.#now = now;
  }

  /**
   * Opens the costs of a state folder. A faulty file does not prevent the start of the master: it is renamed, and
   * counting starts at zero.
   */
  static async open(folder: string, { log, now }: Pick<Environment, 'log' | 'now'>): Promise<CostStore> {
    const path = join(folder, 'costs.json');
    const begin = (): Promise<JsonFile<Ledger>> => openJsonFile(path, ledgerSchema, newLedger(now()));
    try {
      return new CostStore(await begin(), now);
    } catch (error) {
      if (!hasCode(error, 'DATA_FAULTY')) throw error;
      log.warn(
        { err: error },
        'the recorded costs cannot be read; the file was moved aside, and counting starts at zero',
      );
      await rename(path, path.replace(/\.json$/, '.faulty.json'));
      return new CostStore(await begin(), now);
    }
  }

  /**
   * Counts the hours of the given cloud nodes, in memory only; see {@link countHours}.
   *
   * @param nodes all cloud nodes whose servers exist (`paidNodes`). Their hours stay counted after their release, so
   *   orders that may still be refused must not be among them
   */
  count(nodes: readonly CloudNode[]): void {
    this.#ledger = countHours(this.#ledger, nodes, this.#now());
  }

  /** Whether some counted hours are not on disk, because they are new or because their last write failed. */
  get isUnsaved(): boolean {
    return this.#ledger !== this.#file.data;
  }

  /** Writes the counted hours to disk. @throws OverworldError DISK_FULL */
  async save(): Promise<void> {
    await this.#file.update(() => this.#ledger);
  }

  /**
   * Returns the costs of the current month (UTC) so far (EUR, without VAT), and the end of the month (ms since
   * epoch).
   */
  month(nodes: readonly CloudNode[]): MonthCosts {
    const now = this.#now();
    const ledger = countHours(this.#ledger, nodes, now);
    return { spent: toCosts(ledger, nodes, now).month, endsAt: monthEnd(now) };
  }

  /** Returns the costs as the admin API shows them, with a forecast for the whole month (EUR, without VAT). */
  view(nodes: readonly CloudNode[]): Omit<Costs, 'canRent'> {
    const now = this.#now();
    const costs = toCosts(countHours(this.#ledger, nodes, now), nodes, now);
    const paid = nodes.map(({ rental }) => rental);
    return {
      ...costs,
      monthForecast: forecastMonth({ paid, month: { spent: costs.month, endsAt: monthEnd(now) } }, now),
    };
  }
}
