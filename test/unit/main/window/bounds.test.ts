import { describe, expect, it } from 'vitest';
import { restoreBounds } from '#main/window/bounds.ts';

const laptop = { x: 0, y: 0, width: 1440, height: 900 };
const second = { x: 1440, y: 0, width: 1920, height: 1080 };

describe('restoreBounds (restores the position of the window)', () => {
  it.each([
    {
      sentence: 'uses a default size the first time',
      saved: null,
      displays: [laptop],
      want: { width: 1280, height: 800, maximized: false },
    },
    {
      sentence: 'uses the last position',
      saved: { x: 1500, y: 50, width: 1000, height: 700, maximized: true },
      displays: [laptop, second],
      want: { x: 1500, y: 50, width: 1000, height: 700, maximized: true },
    },
    {
      sentence: 'centres the window if its display is missing',
      saved: { x: 1500, y: 50, width: 1000, height: 700, maximized: false },
      displays: [laptop],
      want: { width: 1000, height: 700, maximized: false },
    },
    {
      sentence: 'makes the window no smaller than the page needs',
      saved: { width: 300, height: 200, maximized: false },
      displays: [laptop],
      want: { width: 800, height: 600, maximized: false },
    },
    {
      sentence: 'makes the window no larger than the display',
      saved: null,
      displays: [{ x: 0, y: 0, width: 1024, height: 700 }],
      want: { width: 1024, height: 700, maximized: false },
    },
    {
      sentence: 'does not put the title bar above the display',
      saved: { x: 10, y: -100, width: 900, height: 700, maximized: false },
      displays: [laptop],
      want: { width: 900, height: 700, maximized: false },
    },
  ])('$sentence', ({ saved, displays, want }) => {
    expect(restoreBounds(saved, displays)).toEqual(want);
  });
});
