import { defineConfig } from 'vite';
import { mainSideBuild } from './vite.main-side.ts';

/** The preload script with the window's bridge. A sandboxed preload script must be a single file. */
export default defineConfig(
  mainSideBuild({ entry: 'main/preload.ts', output: 'preload.cjs', target: 'chrome130' }),
);
