import type { Session, WebContents } from 'electron';
import type { Log } from '../environment/log.ts';
import { APP_ORIGIN } from './asset.ts';

/**
 * Denies the page every permission and download, and every request that is not for the app's own scheme, a `data:`
 * URL or Chromium's developer tools. Logs the refused permissions and requests.
 */
export function hardenSession(session: Session, log: Log): void {
  session.setPermissionRequestHandler((_contents, permission, callback) => {
    log.warn({ permission }, 'refused a permission that the page asked for');
    callback(false);
  });
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onBeforeRequest((details, callback) => {
    const own = details.url.startsWith(`${APP_ORIGIN}/`) || details.url.startsWith('data:');
    const tools = details.url.startsWith('devtools:');
    if (!own && !tools)
      log.warn({ url: details.url.slice(0, 200) }, 'refused a request to an address outside the app');
    callback({ cancel: !own && !tools });
  });
  session.on('will-download', (event) => event.preventDefault());
}

/** Blocks navigation, new windows and embedded pages. */
export function hardenContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}
