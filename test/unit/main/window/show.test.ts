import { describe, expect, it } from 'vitest';
import { revealWindow } from '#main/window/show.ts';

/** Returns the calls that reveal a window in the given state. */
function revealed({ isVisible = true, isMinimized = false }): string[] {
  const calls: string[] = [];
  revealWindow({
    isDestroyed: () => false,
    isVisible: () => isVisible,
    isMinimized: () => isMinimized,
    restore: () => calls.push('restore'),
    show: () => calls.push('show'),
    focus: () => calls.push('focus'),
  });
  return calls;
}

describe('revealWindow', () => {
  it('shows a hidden or minimized window, and takes the focus for no other window', () => {
    expect(revealed({ isVisible: false })).toEqual(['show', 'focus']);
    expect(revealed({ isMinimized: true })).toEqual(['restore', 'show', 'focus']);
    expect(revealed({})).toEqual([]);
  });
});
