import { describe, expect, it } from 'vitest';
import { typeToFilter } from '#renderer/ui/keyboard/type-to-filter.ts';

/**
 * Presses a key.
 *
 * @returns the result
 */
function press(key: string, held: Partial<Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>> = {}) {
  const done = { typed: '', focused: false, prevented: false };
  const event = {
    key,
    ...{ ctrlKey: false, metaKey: false, altKey: false, ...held },
    preventDefault: () => (done.prevented = true),
  };
  const used = typeToFilter(
    event,
    { focus: () => (done.focused = true) },
    (letter) => (done.typed += letter),
  );
  return { used, ...done };
}

describe('typeToFilter (moves typed characters to the filter field)', () => {
  it('puts a printable character into the field, and focuses the field', () => {
    expect(press('ö')).toEqual({ used: true, typed: 'ö', focused: true, prevented: true });
  });

  it('focuses the field after "/" without adding this character', () => {
    expect(press('/')).toEqual({ used: true, typed: '', focused: true, prevented: true });
  });

  it('ignores "?", special keys and keyboard shortcuts', () => {
    const unused = { used: false, typed: '', focused: false, prevented: false };
    const presses = [
      press('?'),
      press('Delete'),
      press('a', { ctrlKey: true }),
      press('a', { metaKey: true }),
      press('a', { altKey: true }),
    ];
    for (const one of presses) expect(one).toEqual(unused);
  });
});
