import { isCovered } from '../ui/overlay/covered.ts';
import { shortcutKey } from '../ui/keyboard/shortcut-key.ts';
import { CHORD_MS, matchShortcut, type Shortcut } from './shortcuts.ts';

/** Elements in which letters are text and not shortcuts. */
const TEXT =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable="true"], .cm-editor';

/** Turns key presses in the window into commands. */
export class Keyboard {
  #pendingSince: number | null = null;
  readonly #run: (command: Shortcut['command']) => void;

  constructor(run: (command: Shortcut['command']) => void) {
    this.#run = run;
  }

  readonly onkeydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return;
    const pending = this.#pendingSince !== null && event.timeStamp - this.#pendingSince < CHORD_MS;
    const understood = matchShortcut(
      {
        key: shortcutKey(event),
        ctrl: event.ctrlKey || event.metaKey,
        shift: event.shiftKey,
        alt: event.altKey,
        typing: isTyping(event),
        covered: isCovered(),
      },
      pending,
    );
    this.#pendingSince = understood.pending ? event.timeStamp : null;
    if (understood.command === null) return;
    event.preventDefault();
    this.#run(understood.command);
  };
}

function isModifier(key: string): boolean {
  return key === 'Control' || key === 'Shift' || key === 'Alt' || key === 'Meta';
}

/**
 * Returns whether a key press enters text into the focused element. This element may be in a shadow root (the code
 * editor).
 */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(TEXT) !== null;
}

/** Focuses the filter of the current screen. Returns false if the screen has no filter. */
export function focusFilter(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>('main input[role=searchbox]');
  const seen = [...fields].find((field) => field.offsetParent !== null) ?? fields[0];
  seen?.focus();
  seen?.select();
  return seen !== undefined;
}
