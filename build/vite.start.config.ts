import { defineConfig } from 'vite';
import { mainSideBuild } from './vite.main-side.ts';

/** What Electron reads first: runs the main process's or the embedded master's program from its compiled form. */
export default defineConfig(
  mainSideBuild({ entry: 'main/start/index.ts', output: 'index.cjs', target: 'node20' }),
);
