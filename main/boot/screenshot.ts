import { dirname, resolve } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { BrowserWindow } from 'electron';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { loadPage } from '../window/load-page.ts';

const pictureSchema = z.object({ data: z.string().min(1) });

/** Maximum time until the dashboard shows live data (ms). */
const LIVE_TIMEOUT_MS = 60_000;

/**
 * Script for the page: a promise that resolves once the page shows live data (`data-live`) and has loaded its fonts.
 */
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
 * Loads the page and saves a PNG of the window once the dashboard shows live data. A failure leaves no partial file.
 *
 * @throws Error with one sentence for the terminal; also if the data is not live within 60 s
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
    const live = loadPage(window.webContents).then(() => window.webContents.executeJavaScript(WHEN_LIVE));
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
 * Draws a new frame and captures it. `capturePage` would capture the last frame on screen, which may be older than
 * the page's state on a busy machine.
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
