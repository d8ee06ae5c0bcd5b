import type { LogLine } from '#shared/model/log-line.ts';
import { findLines } from '../../../view/console/console-text.ts';

type Line = Pick<LogLine, 'seq' | 'text'>;

/** Text search in the lines of a console. */
export class ConsoleSearch {
  typed = $state('');
  caseSensitive = $state(false);
  /** Number of the line that was visited last. Null if none was visited. */
  #visited = $state<number | null>(null);
  readonly #lines: () => readonly Line[];
  /**
   * Index of the line that was visited last. Null if none was visited, or if the line is no longer among the lines.
   */
  readonly current: number | null = $derived.by(() => {
    if (this.#visited === null) return null;
    const at = this.#lines().findIndex(({ seq }) => seq === this.#visited);
    return at === -1 ? null : at;
  });
  readonly text: string = $derived(this.typed.trim());
  readonly hits: readonly number[] = $derived.by(() =>
    findLines(this.#lines(), this.text, this.caseSensitive),
  );
  /** Position of the visited hit among all hits, counted from 1; 0 if no hit was visited. */
  readonly position: number = $derived(this.current === null ? 0 : this.hits.indexOf(this.current) + 1);

  constructor(lines: () => readonly Line[]) {
    this.#lines = lines;
  }

  /**
   * Remembers the line that is visited, by its number, because its index changes when lines above it are loaded or
   * dropped. @param seq null to forget the line
   */
  readonly visit = (seq: number | null): void => {
    this.#visited = seq;
  };

  /**
   * Goes to the next or previous hit and wraps around. @returns the index of the line with the hit; null if there are
   * no hits
   */
  readonly go = (step: -1 | 1): number | null => {
    const { hits } = this;
    if (hits.length === 0) return null;
    const at = this.current === null ? -1 : hits.indexOf(this.current);
    // Starts with the newest hit, since most searches concern the end.
    const next = hits[at === -1 ? hits.length - 1 : (at + step + hits.length) % hits.length];
    if (next === undefined) return null;
    this.visit(this.#lines()[next]?.seq ?? null);
    return next;
  };
}
