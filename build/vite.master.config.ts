import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vite';
import { readToolFiles } from '../master/runtime/systemd/tool-source.ts';
import { mainSideBuild } from './vite.main-side.ts';

/** The master: daemon and command line in one file that runs anywhere Node 20 does, with no packages beside it. */
export default defineConfig(
  mainSideBuild({
    entry: 'master/index.ts',
    output: 'index.js',
    target: 'node20',
    shebang: '#!/usr/bin/env node',
  }),
);
