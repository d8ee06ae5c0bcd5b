import { availableParallelism } from 'node:os';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { hasOwnNetworks } from './build/scripts/tests/own-network.mjs';
import { LongestFirst } from './test/runner/longest-first.ts';
import { ownNetworkPool } from './test/runner/own-network-pool.ts';

/** Integration tests wait more than they compute: one file more than there are cores keeps these busy. */
const filesAtOnce = availableParallelism() + 1;

/** Titles such as `$says` contain whole sentences, which Vitest otherwise cuts after 40 characters. */
const chaiConfig = { truncateThreshold: 200 };

/**
 * Four projects: `unit` (pure code, no processes), `renderer` (components in jsdom, only the bridge
 * stubbed), `integration` (real processes, sockets and files), `lab` (several machines in network namespaces).
 * Integration files use fixed ports: they run beside each other where each can have a network of its own (Linux,
 * root), and one at a time after the others elsewhere.
 */
export default defineConfig({
  test: {
    maxWorkers: filesAtOnce,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          chaiConfig,
          include: ['test/unit/**/*.test.ts'],
          exclude: ['test/unit/renderer/**'],
          environment: 'node',
          // One process for many files: half of the time goes into loading the same modules again.
          isolate: false,
          // The slowest take 5 s by themselves; more is for machines with other work.
          testTimeout: 120_000,
        },
      },
      {
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: {
          name: 'renderer',
          chaiConfig,
          include: ['test/unit/renderer/**/*.test.ts'],
          environment: 'jsdom',
          setupFiles: ['patience', 'page-timers'].map((name) => `test/unit/renderer/support/${name}.ts`),
          // The slowest take 3 s by themselves: reading a screen's code for the first time, then jsdom's search by
          // roles. Twenty times that is for machines with other work.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          chaiConfig,
          include: ['test/integration/**/*.test.ts'],
          environment: 'node',
          // Several times the longest wait for one condition (`test/support/wait-for.ts`): on a machine with ten times
          // as much work as cores, some tests that take 10 s by themselves need more than two minutes.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          ...(hasOwnNetworks()
            ? { pool: ownNetworkPool }
            : { sequence: { groupOrder: 1 }, fileParallelism: false }),
        },
      },
      {
        test: {
          name: 'lab',
          chaiConfig,
          sequence: { groupOrder: 2 },
          include: ['test/lab/**/*.test.ts'],
          environment: 'node',
          testTimeout: 900_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
