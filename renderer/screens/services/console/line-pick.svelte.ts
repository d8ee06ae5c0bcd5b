import { isCtrl, type PressedWithCtrl } from '../../../ui/keyboard/shortcut-key.ts';

type Key = PressedWithCtrl;

/**
 * Selection of whole lines for copying, even if they are not drawn. A person selects with Shift and a click or the
 * arrow keys, or selects all lines with Ctrl+A.
 */
export class LinePick<Line extends { readonly seq: number }> {
  /**
   * Numbers of the first and the last line of the selection, in the order in which the person selected them: `to` may
   * come before `from`. Null if no lines are selected.
   */
  #ends = $state.raw<{ readonly from: number; readonly to: number } | null>(null);
  readonly #all: () => readonly Line[];
  #clicked: number | null = null;

  constructor(all: () => readonly Line[]) {
    this.#all = all;
  }

  /** Clears the selection, for example because other lines have got the numbers of the selected ones. */
  readonly clear = (): void => {
    this.#ends = null;
    this.#clicked = null;
  };

  readonly has = (index: number): boolean => {
    const line = this.#all()[index];
    if (this.#ends === null || line === undefined) return false;
    const { from, to } = this.#ends;
    return line.seq >= Math.min(from, to) && line.seq <= Math.max(from, to);
  };

  /** The selected lines from top to bottom. */
  get lines(): readonly Line[] {
    return this.#ends === null ? [] : this.#all().filter((_, index) => this.has(index));
  }

  /**
   * Handles a click. With Shift, selects the lines from the last clicked line to this one. Without Shift, clears the
   * selection and remembers the line as the start of the next one.
   */
  readonly click = (event: Pick<MouseEvent, 'shiftKey'>, index: number): void => {
    const seq = this.#all()[index]?.seq;
    if (seq === undefined) return;
    if (event.shiftKey) {
      this.#ends = { from: this.#clicked ?? seq, to: seq };
      // The browser's own text selection up to the click would look like a second selection.
      window.getSelection()?.removeAllRanges();
    } else {
      this.#clicked = seq;
      this.#ends = null;
    }
  };

  /**
   * Handles a key press: Shift with the arrow keys extends the selection, Ctrl+A selects all lines, and Escape clears
   * the selection.
   *
   * @param last index of the last visible line, at which a selection with the keyboard starts
   * @returns the index of the line to show; `all` if all lines were selected or the selection was cleared; null for
   *   other keys
   */
  readonly readKey = (event: Key, last: number): number | 'all' | null => {
    if (isCtrl(event, 'a')) return this.#pickAll();
    if (event.key === 'Escape' && this.#ends !== null) {
      this.#ends = null;
      return 'all';
    }
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    return step === 0 || !event.shiftKey ? null : this.#extend(step, last);
  };

  #pickAll(): 'all' {
    const [first, end] = [this.#all()[0], this.#all().at(-1)];
    this.#ends = first === undefined || end === undefined ? null : { from: first.seq, to: end.seq };
    return 'all';
  }

  #extend(step: -1 | 1, last: number): number | null {
    const all = this.#all();
    const ends = this.#ends;
    const at = ends === null ? last : all.findIndex(({ seq }) => seq === ends.to) + step;
    const line = all[Math.min(all.length - 1, Math.max(0, at))];
    if (line === undefined) return null;
    this.#ends = { from: ends?.from ?? line.seq, to: line.seq };
    return all.indexOf(line);
  }
}
