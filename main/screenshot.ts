import { dirname, resolve } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { BrowserWindow } from 'electron';
import writeFileAtomic from 'write-file-atomic';
import { loadPage } from './window/main-window.ts';

/** How long the dashboard may take until it is live. */
const LIVE_TIMEOUT_MS = 60_000;

/** Resolves in the page once it shows live data in its own fonts, painted. The page sets `data-live` itself. */
const WHEN_LIVE = `new Promise((resolve) => {
  const root = document.documentElement;
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  const check = () => {
    if (root.dataset.live !== 'true') return;
    observer.disconnect();
    document.fonts.ready.then(painted);
  };
  const observer = new MutationObserver(check);
  observer.observe(root, { attributes: true, attributeFilter: ['data-live'] });
  check();
})`;

/**
 * Loads the page and saves a PNG of what the window shows once the dashboard is live. The file is there whole or not at all.
 *
 * @throws Error with one sentence for the terminal
 */
export async function takeScreenshot(window: BrowserWindow, file: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new Error(`The dashboard was not live within ${LIVE_TIMEOUT_MS / 1000} s; no picture was taken.`),
      );
    }, LIVE_TIMEOUT_MS);
  });
  try {
    const live = loadPage(window).then(() => window.webContents.executeJavaScript(WHEN_LIVE));
    await Promise.race([live, timeout]);
    const image = await window.webContents.capturePage();
    if (image.isEmpty()) throw new Error('The window showed nothing; no picture was taken.');
    const path = resolve(file);
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, image.toPNG(), { fsync: true });
  } finally {
    clearTimeout(timer);
  }
}
