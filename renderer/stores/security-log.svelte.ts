import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { SecurityEntry, SecurityGroup, SecurityReport } from '#shared/model/access/security-entry.ts';
import { call } from '../bridge/bridge.ts';
import { mergeNewest, PAGE } from './activity.svelte.ts';
import { Fetched } from './fetched.svelte.ts';
import { Refresher } from './refresher.ts';

/**
 * Entries of the security log, newest first. The list grows at the top with new entries, and at the bottom page by
 * page.
 */
export class SecurityFeed {
  entries = $state.raw<readonly SecurityEntry[]>([]);
  loaded = $state(false);
  loadingOlder = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Number below which the older entries begin. Null if there are no older entries. */
  #next = $state<number | null>(null);
  readonly #group: SecurityGroup | null;
  readonly refresher: Refresher<void>;

  /** @param group group of the shown entries; null: all groups */
  constructor(group: SecurityGroup | null) {
    this.#group = group;
    this.refresher = new Refresher<void>({
      fetch: () => this.#loadNewest(),
      apply: () => (this.loaded = true),
      onstate: ({ loading, error }) => {
        if (!loading) this.error = error;
      },
    });
  }

  get hasOlder(): boolean {
    return this.#next !== null;
  }

  async #loadNewest(): Promise<void> {
    const { entries, next } = await this.#page(null);
    const merged = next === null ? entries : mergeNewest(this.entries, entries);
    if (next === null || !merged.some(({ seq }) => seq < next)) this.#next = next;
    this.entries = merged;
  }

  /** Loads the next older page. Does nothing while a page is loading or if there are no older entries. */
  readonly loadOlder = async (): Promise<void> => {
    const from = this.#next;
    if (this.loadingOlder || from === null) return;
    this.loadingOlder = true;
    try {
      const { entries, next } = await this.#page(from);
      // The end of the list has changed during the request, so this page does not follow it any more.
      if (this.#next !== from) return;
      this.entries = [...this.entries.filter(({ seq }) => seq >= from), ...entries];
      this.#next = next;
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.loadingOlder = false;
    }
  };

  #page(from: number | null): Promise<{ entries: readonly SecurityEntry[]; next: number | null }> {
    return call('security.list', {
      order: 'newest',
      limit: PAGE,
      ...(from === null ? {} : { from }),
      ...(this.#group === null ? {} : { group: this.#group }),
    });
  }
}

/** The last verification of the security log. */
export const securityReport = new Fetched<SecurityReport>(() => call('security.verify', {}));
