import type { WindowState } from '../vault/settings.ts';

/** Minimum size of the window at which its page is usable (pixels). */
export const MIN_SIZE = { width: 800, height: 600 } as const;
const DEFAULT_SIZE = { width: 1280, height: 800 } as const;

/** Minimum part of a window's title bar that must be on a display, so that it can be dragged (pixels). */
const GRIP = { width: 120, height: 40 } as const;

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns where a window opens: at its last position if a display shows the title bar there. Otherwise the window is
 * centred, and the result has no `x` and `y`.
 *
 * @param state state at the last quit; null at the first start
 * @param displays work areas of all displays, the primary one first
 */
export function restoreBounds(state: WindowState | null, displays: readonly Rectangle[]): WindowState {
  const saved = state ?? { ...DEFAULT_SIZE, maximized: false };
  const area = displays[0] ?? { x: 0, y: 0, ...DEFAULT_SIZE };
  const { x, y, maximized } = saved;
  const width = Math.max(MIN_SIZE.width, saved.width);
  const height = Math.max(MIN_SIZE.height, saved.height);
  if (x !== undefined && y !== undefined) {
    const grip = { x: x + (width - GRIP.width) / 2, y, ...GRIP };
    if (displays.some((display) => contains(display, grip))) return { x, y, width, height, maximized };
  }
  return { width: fit(width, area.width), height: fit(height, area.height), maximized };

  function fit(wanted: number, available: number): number {
    return Math.min(wanted, Math.max(available, 1));
  }
}

function contains(outer: Rectangle, inner: Rectangle): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
