import { dirname, resolve } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { BrowserWindow } from 'electron';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { loadPage } from './window/main-window.ts';

const pictureSchema = z.object({ data: z.string().min(1) });

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
    const picture = await photograph(window);
    const path = resolve(file);
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomic(path, picture, { fsync: true });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Draws a new frame and takes that. `capturePage` would take the one that the screen had last, which on a busy machine
 * can be older than what the page says of itself.
 */
async function photograph(window: BrowserWindow): Promise<Buffer> {
  const { debugger: devTools } = window.webContents;
  devTools.attach('1.3');
  try {
    const answer: unknown = await devTools.sendCommand('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(pictureSchema.parse(answer).data, 'base64');
  } finally {
    devTools.detach();
  }
}
