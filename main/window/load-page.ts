import type { EventEmitter } from 'node:events';
import type { WebContents } from 'electron';
import { APP_ORIGIN } from './asset.ts';

/** Chromium's code for a load that was aborted, for example because a reload has replaced it (net_error_list.h). */
const ERR_ABORTED = -3;

/** Parameters of Electron's event `did-fail-load`. */
type LoadFailure = [event: unknown, code: number, description: string, url: string, isMainFrame: boolean];

/**
 * Loads the page. Separate from opening the window, so that the request handlers are registered first. A crash or a
 * reload during the load is no failure: resolves after the load that replaces it.
 *
 * @param route route to open, as in the page's address; '' leaves the choice to the page
 * @throws Error with one sentence if the page cannot be loaded
 */
export async function loadPage(
  contents: EventEmitter & Pick<WebContents, 'loadURL'>,
  route = '',
): Promise<void> {
  const loaded = nextLoad(contents);
  // Rejects even if the load was only replaced, so its result does not count.
  contents.loadURL(`${APP_ORIGIN}/${route === '' ? '' : `#/${route}`}`).catch(() => undefined);
  await loaded;
}

/**
 * Runs an action that loads the page. Resolves when the action is done and the page is loaded, in either order.
 *
 * @param contents Electron's `WebContents` of the page
 * @throws what the action throws; Error with one sentence if the page cannot be loaded. If the action throws, does not
 *   wait for the page
 */
export async function reloadBy(contents: EventEmitter, action: () => Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.all([nextLoad(contents, over.signal), action()]);
  } finally {
    over.abort();
  }
}

/**
 * Resolves when the page is loaded the next time, whatever has started the load.
 *
 * @param contents Electron's `WebContents` of the page
 * @param signal ends the wait: from then on, the promise stays pending
 * @throws Error with one sentence if the page cannot be loaded
 */
export async function nextLoad(contents: EventEmitter, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      contents.off('did-finish-load', onFinish);
      contents.off('did-fail-load', onFail);
    };
    const onFinish = (): void => {
      stop();
      resolve();
    };
    const onFail = (...[, code, description, , isMainFrame]: LoadFailure): void => {
      if (!isMainFrame || code === ERR_ABORTED) return;
      stop();
      reject(new Error(`The page could not be loaded: ${description} (${code}).`));
    };
    contents.on('did-finish-load', onFinish);
    contents.on('did-fail-load', onFail);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
