import { protocol } from 'electron';
import { APP_SCHEME, CONTENT_SECURITY_POLICY, findAsset } from './asset.ts';

/** Chromium's code for a missing file (net_error_list.h). */
const ERR_FILE_NOT_FOUND = -6;

/** Registers `app:` as a scheme whose pages have their own origin. Must run before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      // Stores the compiled code of the page, so that it is not compiled at each start.
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/**
 * Serves only the built page, under `app://overworld/`. Chromium reads the files itself. With `protocol.handle`,
 * Node's fetch (undici, http2) would be loaded, which takes 50 ms of each start, and every byte would pass through
 * this process.
 */
export function serveApp(root: string): void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- its successor for files (registerSource) is not in the oldest Electron we run on
  protocol.registerFileProtocol(APP_SCHEME, ({ url, method }, answer) => {
    const asset = method === 'GET' ? findAsset(root, url) : null;
    if (asset === null) {
      answer({ error: ERR_FILE_NOT_FOUND });
      return;
    }
    answer({
      path: asset.path,
      headers: {
        'content-type': asset.contentType,
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
      },
    });
  });
}
