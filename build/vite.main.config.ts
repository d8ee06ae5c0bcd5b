import { defineConfig } from 'vite';
import { mainSideBuild } from './vite.main-side.ts';

/** The app's main process. It must support two runtimes; the older one contains Node.js 20 (docs/adr/0002). */
export default defineConfig(mainSideBuild({ entry: 'main/index.ts', output: 'index.cjs', target: 'node20' }));
