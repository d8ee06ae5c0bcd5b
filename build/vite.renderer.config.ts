import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/**
 * The window's page. `base` is `./`, because the page is loaded from a file or through the app's own protocol, not from
 * a server's root.
 */
export default defineConfig({
  root: join(import.meta.dirname, '..', 'renderer'),
  base: './',
  plugins: [svelte({ configFile: false })],
  build: {
    target: 'chrome130',
    // Electron itself supports the preloading of modules. The polyfill would be an inline script, which the page's
    // CSP forbids.
    modulePreload: { polyfill: false },
    // No asset is inlined, because the CSP would have to allow data: URLs.
    assetsInlineLimit: 0,
    sourcemap: true,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        // Puts the modules that the first screen needs into one file, because requesting fifty small files takes longer
        // than reading them.
        codeSplitting: {
          groups: [
            { name: 'start', test: /\/renderer\/(index\.ts|screens\/overview\/OverviewScreen\.svelte)$/ },
          ],
        },
      },
    },
    // Loaded from disk, so a large chunk costs nothing to fetch.
    chunkSizeWarningLimit: 4096,
  },
});
