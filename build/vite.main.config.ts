import { defineConfig } from 'vite';
import { mainSideBuild } from './vite.main-side.ts';

/** The app's main process. Node 20 is the older of the two runtimes that it must support (docs/adr/0002). */
export default defineConfig(mainSideBuild({ entry: 'main/index.ts', output: 'index.cjs', target: 'node20' }));
