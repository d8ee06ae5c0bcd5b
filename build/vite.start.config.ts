import { defineConfig } from 'vite';
import { mainSideBuild } from './vite.main-side.ts';

/** What Electron reads first: runs the main process's program, or the embedded master's, as it was compiled before. */
export default defineConfig(
  mainSideBuild({ entry: 'main/start/index.ts', output: 'index.cjs', target: 'node20' }),
);
