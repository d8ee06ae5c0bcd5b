import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import { readToolFiles } from '../master/runtime/systemd/tool-source.ts';
import { mainSideBuild } from './vite.main-side.ts';

/** The master: daemon and command line in one file that runs anywhere Node 20 does, with no packages beside it. */
export default defineConfig(
  mergeConfig(
    mainSideBuild({
      entry: 'master/index.ts',
      output: 'index.js',
      target: 'node20',
      shebang: '#!/usr/bin/env node',
    }),
    {
      define: {
        // What is put on nodes travels inside the master (master/runtime/systemd/tool-source.ts).
        OVERWORLD_NODE_TOOL: JSON.stringify(
          readToolFiles(join(import.meta.dirname, '../master/runtime/systemd/tool')),
        ),
      },
    },
  ),
);
