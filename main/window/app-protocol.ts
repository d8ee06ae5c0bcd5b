import { readFile } from 'node:fs/promises';
import { protocol } from 'electron';
import type { Log } from '../log.ts';
import { APP_SCHEME, CONTENT_SECURITY_POLICY, findAsset } from './asset.ts';

/** Makes `app:` a scheme with an origin of its own. Must run before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME, // The page's code is compiled once, not at each start.
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/** Serves the built page, and nothing else, under `app://overworld/`. */
export function serveApp(root: string, log: Log): void {
  protocol.handle(APP_SCHEME, async ({ url, method }) => {
    const asset = method === 'GET' ? findAsset(root, url) : null;
    if (asset === null) return new Response('Not found', { status: 404 });
    try {
      return new Response(new Uint8Array(await readFile(asset.path)), {
        headers: {
          'content-type': asset.contentType,
          'content-security-policy': CONTENT_SECURITY_POLICY,
          'x-content-type-options': 'nosniff',
        },
      });
    } catch (error) {
      log.error({ err: error, url }, 'a file of the page cannot be read');
      return new Response('Not found', { status: 404 });
    }
  });
}
