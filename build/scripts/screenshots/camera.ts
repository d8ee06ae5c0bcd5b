import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright';
import { askApp, type OpenApp } from '#test/support/app/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Shot } from './places.ts';

const themes = ['dark', 'light'] as const;

/** Where pictures go, and how large the window is for them. */
export interface Film {
  readonly folder: string;
  readonly sizes: readonly (readonly [width: number, height: number])[];
  /** Put before the theme in the file's name when there are several sizes. */
  readonly sizeInName: boolean;
  /** Whether a picture of this file name is taken; without it all are. */
  readonly wants?: (file: string) => boolean;
  /** Takes a picture as Chromium makes it, and tells whether it was written; without it all are. */
  readonly save?: (file: string, png: Buffer) => boolean;
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
        const name = `${film.sizeInName ? `${shot.name}-${width}` : shot.name}-${theme}.png`;
        if (film.wants?.(name) === false) continue;
        await visit(window, shot);
        const file = join(film.folder, name);
        const png = await window.screenshot({ animations: 'disabled' });
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
