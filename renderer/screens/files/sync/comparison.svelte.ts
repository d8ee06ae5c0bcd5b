import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { SyncComparison, SyncRow } from '#shared/ipc/contract.ts';
import { request } from '../../../bridge/bridge.ts';
import { tasks } from '../../../stores/files/tasks.svelte.ts';
import { NONE } from '../browser/entries.ts';
import {
  actOf,
  firstTicks,
  tickDeletions,
  totalsOf,
  type Direction,
  type SyncPlan,
  type Totals,
} from './sync.ts';

/** A comparison of two folders and the planned changes. Nothing changes before {@link start}. */
export class Comparison {
  local = $state('');
  remote = $state('/');
  /** Whether to compare content instead of size and time. */
  content = $state(false);
  plan = $state.raw<SyncPlan>({ to: 'remote', deletes: false });
  ticked = $state.raw(NONE);
  /** Whether equal files are shown, too. */
  showSame = $state(false);
  comparing = $state(false);
  starting = $state(false);
  error = $state.raw<OverworldError | null>(null);
  #result = $state.raw<SyncComparison | null>(null);
  /** Inputs of the shown result, as JSON. If they differ from the current inputs, the result is outdated. */
  #about = '';

  get compared(): boolean {
    return this.#result !== null && this.#about === this.#question;
  }

  get rows(): readonly SyncRow[] {
    return this.compared ? (this.#result?.rows ?? []) : [];
  }

  /** The rows to show. */
  get shown(): readonly SyncRow[] {
    return this.showSame ? this.rows : this.rows.filter(({ verdict }) => verdict !== 'same');
  }

  get totals(): Totals {
    return totalsOf(this.rows, this.ticked, this.plan);
  }

  get #question(): string {
    return JSON.stringify([this.local, this.remote, this.content]);
  }

  /** Compares both sides and replaces the previous result. */
  readonly compare = async (): Promise<void> => {
    const { local, remote, content } = this;
    const about = this.#question;
    this.comparing = true;
    this.error = null;
    this.#result = null;
    try {
      this.#result = await tasks.run('Comparing two folders', (task) =>
        request('sync.compare', { local, remote, content, task }),
      );
      this.#about = about;
      this.#tickAnew();
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.comparing = false;
    }
  };

  /** Changes the direction, and ticks all rows anew, because each row now needs another change. */
  readonly setDirection = (to: Direction): void => {
    this.plan = { ...this.plan, to };
    this.#tickAnew();
  };

  /** Changes whether surplus files are deleted. Keeps the ticks of all other files. */
  readonly setDeletes = (deletes: boolean): void => {
    this.plan = { ...this.plan, deletes };
    this.ticked = tickDeletions(this.rows, this.ticked, this.plan);
  };

  /**
   * Performs the checked changes.
   *
   * @returns the number of changes; null if they could not be started, and `error` contains the reason
   */
  readonly start = async (): Promise<{ readonly copied: number; readonly deleted: number } | null> => {
    if (this.#result === null || !this.compared) return null;
    this.starting = true;
    this.error = null;
    try {
      const done = await request('sync.start', {
        comparison: this.#result.comparison,
        paths: this.#toDo,
        to: this.plan.to,
        deletes: this.plan.deletes,
      });
      // The comparison is outdated now.
      this.#result = null;
      return done;
    } catch (thrown) {
      this.error = toOverworldError(thrown);
      return null;
    } finally {
      this.starting = false;
    }
  };

  /** Paths of checked rows that need a change. */
  get #toDo(): string[] {
    return this.rows
      .filter((row) => this.ticked.has(row.path) && actOf(row, this.plan) !== null)
      .map(({ path }) => path);
  }

  #tickAnew(): void {
    this.ticked = firstTicks(this.rows, this.plan);
  }
}
