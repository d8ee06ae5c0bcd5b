import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The window's page. `./` because it is loaded from a file or the app's own protocol, never from a server's root. */
export default defineConfig({
  root: join(import.meta.dirname, '..', 'renderer'),
  base: './',
  plugins: [svelte({ configFile: false })],
  build: {
    target: 'chrome130',
    // Electron preloads modules itself; the polyfill would be an inline script, which the page's CSP forbids.
    modulePreload: { polyfill: false },
    // A data: URL is content that the CSP would have to allow.
    assetsInlineLimit: 0,
    sourcemap: true,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        // What the first screen needs in one file: fifty small ones take longer to ask for than to read.
        codeSplitting: {
          groups: [
            { name: 'start', test: /\/renderer\/(index\.ts|screens\/overview\/OverviewScreen\.svelte)$/ },
          ],
        },
      },
    },
    // Loaded from disk: a large chunk costs nothing to fetch.
    chunkSizeWarningLimit: 4096,
  },
});
