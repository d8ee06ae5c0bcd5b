import { describe, expect, it } from 'vitest';
import { pushTo } from '#main/window/push.ts';

/** Returns what a window in the given state receives. */
function received({ isDestroyed = false, isCrashed = false }): unknown[] {
  const sent: unknown[] = [];
  const webContents = {
    isCrashed: () => isCrashed,
    send: (_channel: string, ...values: unknown[]) => void sent.push(values),
  };
  pushTo({ isDestroyed: () => isDestroyed, webContents }, 'visible', true);
  return sent;
}

describe('pushTo', () => {
  it('sends nothing to a window that is closed or whose page has crashed', () => {
    expect(received({})).toEqual([['visible', true]]);
    expect(received({ isDestroyed: true })).toEqual([]);
    expect(received({ isCrashed: true })).toEqual([]);
  });
});
