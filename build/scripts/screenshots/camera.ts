import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright';
import { askApp, type OpenApp } from '#test/support/app/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Shot } from './shots.ts';

const themes = ['dark', 'light'] as const;

/** Settings for taking pictures: their folder, the sizes of the window, and the choice of pictures. */
export interface Film {
  readonly folder: string;
  readonly sizes: readonly (readonly [width: number, height: number])[];
  /** Whether the file name contains the window's width, before the theme. Needed if there are several sizes. */
  readonly sizeInName: boolean;
  /** Returns whether to take the picture with this file name; default: all. */
  readonly wants?: (file: string) => boolean;
  /** Saves a picture as Chromium has made it, and returns whether the file was written; default: always writes it. */
  readonly save?: (file: string, png: Buffer) => boolean;
}

/** Takes pictures in both themes: `<folder>/<name>[-<width>]-<theme>.png`. */
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
        const name = `${film.sizeInName ? `${shot.name}-${width}` : shot.name}-${theme}.png`;
        if (film.wants?.(name) === false) continue;
        await visit(app, shot);
        const file = join(film.folder, name);
        const png = await window.screenshot({ animations: 'disabled' });
        await shot.leave?.(app.electron);
        const isWritten = film.save === undefined ? writeAlways(file, png) : film.save(file, png);
        console.log(isWritten ? file : `${file} shows the same already`);
      }
    }
  }
}

function writeAlways(file: string, png: Buffer): boolean {
  writeFileSync(file, png);
  return true;
}

async function visit({ electron, window }: OpenApp, { route, arrange }: Shot): Promise<void> {
  await window.keyboard.press('Escape');
  // Scripts for the page are strings, because these files are checked without the DOM's types.
  await window.evaluate(`location.hash = ${JSON.stringify(`#/${route}`)}`);
  await window.getByRole('main').waitFor();
  await window.waitForLoadState('networkidle');
  await arrange?.(window, electron);
  // Waits until everything is fetched and drawn: no element is marked as loading.
  await waitFor(() => window.evaluate(`document.querySelector('[aria-busy="true"], .skeleton') === null`), {
    what: `${route} to have all it shows`,
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
