import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import { readToolFiles } from '../master/runtime/systemd/tool-source.ts';
import { mainSideBuild } from './vite.main-side.ts';

/**
 * The master: daemon and command line in one file, which `master/entry.cjs` loads. The file runs on Node.js 20 or newer
 * without npm packages.
 */
export default defineConfig(
  mergeConfig(
    mainSideBuild({
      entry: 'master/index.ts',
      output: 'master.js',
      target: 'node20',
    }),
    {
      define: {
        // The tool for nodes is part of the master (master/runtime/systemd/tool-source.ts).
        OVERWORLD_NODE_TOOL: JSON.stringify(
          readToolFiles(join(import.meta.dirname, '../master/runtime/systemd/tool')),
        ),
      },
    },
  ),
);
