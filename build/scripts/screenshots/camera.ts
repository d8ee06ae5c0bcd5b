import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright';
import { askApp, type OpenApp } from '#test/support/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Shot } from './places.ts';

const themes = ['dark', 'light'] as const;

/** Where pictures go, and how large the window is for them. */
export interface Film {
  readonly folder: string;
  readonly sizes: readonly (readonly [width: number, height: number])[];
  /** Put before the theme in the file's name when there are several sizes. */
  readonly sizeInName: boolean;
}

/** Photographs shots in both themes: `<folder>/<name>[-<width>]-<theme>.png`. */
export async function photograph(app: OpenApp, shots: readonly Shot[], film: Film): Promise<void> {
  const { window } = app;
  mkdirSync(film.folder, { recursive: true });
  await window.emulateMedia({ reducedMotion: 'reduce' });
  for (const [width, height] of film.sizes) {
    await resize(app.electron, window, [width, height]);
    for (const theme of themes) {
      await askApp(window, 'app.setPreferences', { theme });
      await window.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      for (const shot of shots) {
        await visit(window, shot);
        const name = film.sizeInName ? `${shot.name}-${width}` : shot.name;
        const file = join(film.folder, `${name}-${theme}.png`);
        await window.screenshot({ path: file, animations: 'disabled' });
        console.log(file);
      }
    }
  }
}

async function visit(window: Page, { place, arrange }: Shot): Promise<void> {
  await window.keyboard.press('Escape');
  // Scripts for the page are texts: these files are checked without the DOM's types.
  await window.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
  await window.getByRole('main').waitFor();
  await window.waitForLoadState('networkidle');
  await arrange?.(window);
  // What is fetched is there, and drawn: nothing announces itself as being loaded any more.
  await waitFor(() => window.evaluate(`document.querySelector('[aria-busy="true"], .skeleton') === null`), {
    what: `${place} to have all it shows`,
  });
  await window.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
}

async function resize(
  electron: ElectronApplication,
  window: Page,
  [width, height]: readonly [number, number],
): Promise<void> {
  await electron.evaluate(
    ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size[0], size[1]),
    [width, height] as const,
  );
  await waitFor(() => window.evaluate(`innerWidth === ${width}`), {
    what: `the window to be ${width} px wide`,
  });
}
