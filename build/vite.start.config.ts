import { defineConfig } from 'vite';
import { mainSideBuild } from './vite.main-side.ts';

/**
 * The file that Electron runs first. It runs the program of the main process or of the embedded master with V8's
 * code cache.
 */
export default defineConfig(
  mainSideBuild({ entry: 'main/start/index.ts', output: 'index.cjs', target: 'node20' }),
);
