import { findLines } from '../../../view/console/console-text.ts';

/** Text search in the lines of a console. */
export class ConsoleSearch {
  typed = $state('');
  caseSensitive = $state(false);
  /** Index of the line with the hit visited last. Null if none was visited. */
  current = $state<number | null>(null);
  readonly #lines: () => readonly { readonly text: string }[];
  readonly text: string = $derived(this.typed.trim());
  readonly hits: readonly number[] = $derived.by(() =>
    findLines(this.#lines(), this.text, this.caseSensitive),
  );
  /** Position of the visited hit among all hits, counted from 1; 0 if no hit was visited. */
  readonly position: number = $derived(this.current === null ? 0 : this.hits.indexOf(this.current) + 1);

  constructor(lines: () => readonly { readonly text: string }[]) {
    this.#lines = lines;
  }

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
    this.current = next ?? null;
    return this.current;
  };
}
