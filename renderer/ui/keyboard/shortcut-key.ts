/**
 * The relevant part of `KeyboardEvent`, declared here because the documentation is generated from files that import
 * this one, without DOM types.
 */
interface PressedKey {
  readonly key: string;
  /** Position of the key. Letters are named as on a US keyboard: `KeyS`. */
  readonly code?: string;
}

/** A pressed key with its modifiers. */
export interface PressedWithCtrl extends PressedKey {
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey?: boolean;
}

/** A letter of an alphabet other than the Latin one. */
const OTHER_ALPHABET = /^(?!\p{Script=Latin})\p{L}$/u;

/**
 * Returns the key that counts for shortcuts. On a keyboard layout without Latin letters, for example a Russian one,
 * this is the Latin letter at the same position. Otherwise, shortcuts with letters would not work there.
 *
 * Example: `ы` at the position `KeyS` → `s`.
 */
export function shortcutKey({ key, code = '' }: PressedKey): string {
  const isOtherLetter = OTHER_ALPHABET.test(key) && /^Key[A-Z]$/.test(code);
  return isOtherLetter ? code.slice(-1).toLowerCase() : key;
}

/**
 * Returns whether Ctrl and a letter are pressed without other modifiers, on a Mac also Command and the letter.
 *
 * @param letter a lower-case letter
 */
export function isCtrl(event: PressedWithCtrl, letter: string): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey === true) return false;
  return shortcutKey(event).toLowerCase() === letter;
}
