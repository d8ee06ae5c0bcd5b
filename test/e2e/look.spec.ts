import type { ElectronApplication, Page } from 'playwright/test';
import { askApp } from '#test/support/app/open-app.ts';
import { expect, test } from './support/app.ts';
import { barriers, loadAxe } from './support/barriers.ts';
import { setUpWorld, screens, visit } from './support/screens.ts';

test.beforeEach(async ({ setup, window, app }) => {
  // Switch animations off, so that no check happens during a fade-in.
  await window.emulateMedia({ reducedMotion: 'reduce', colorScheme: null });
  await setUpWorld(setup);
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
});

test('no screen has problems with accessibility in the light or dark theme', async ({ window }) => {
  await loadAxe(window);
  for (const screen of screens) {
    await visit(window, screen);
    for (const theme of ['light', 'dark'] as const) {
      await askApp(window, 'app.setPreferences', { theme });
      await expect(window.locator('html')).toHaveAttribute('data-theme', theme);
      expect.soft(await barriers(window), `${screen.name}, ${theme}`).toEqual([]);
    }
  }
});

test('no screen cuts off content or scrolls sideways in a small or a large window', async ({
  electronApp,
  window,
}) => {
  for (const [width, height] of [
    [800, 600],
    [1280, 800],
    [1920, 1080],
  ] as const) {
    await resize(electronApp, width, height);
    await expect.poll(() => window.evaluate('innerWidth')).toBe(width);
    for (const screen of screens) {
      await visit(window, screen);
      const where = `${screen.name} at ${width} x ${height}`;
      expect.soft(await window.evaluate('document.documentElement.scrollWidth'), where).toBe(width);
      expect.soft(await cutOff(window), where).toEqual([]);
    }
  }
});

/** Returns the names of controls and texts that reach beyond the window's edges and cannot be scrolled into view. */
function cutOff(window: Page): Promise<string[]> {
  return window.evaluate<
    string[]
  >(`[...document.querySelectorAll('button, a, input, textarea, [role="switch"], h1, h2, h3')]
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((element) => {
      for (let box = element.parentElement; box !== null; box = box.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth) return false;
      }
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (left < 0 || right > innerWidth);
    })
    .map((element) => element.getAttribute('aria-label') ?? element.textContent.trim())`);
}

async function resize(app: ElectronApplication, width: number, height: number): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
    { width, height },
  );
}
