import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

/**
 * Four projects: `unit` (pure code, no processes), `renderer` (components in jsdom, only the bridge
 * stubbed), `integration` (real processes, sockets and files; one file at a time, as they measure and wait), `lab`
 * (several machines in network namespaces). A later group starts when the one before it has ended.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: ['test/unit/renderer/**'],
          environment: 'node',
        },
      },
      {
        plugins: [svelte({ configFile: false }), svelteTesting()],
        test: {
          name: 'renderer',
          include: ['test/unit/renderer/**/*.test.ts'],
          environment: 'jsdom',
          setupFiles: ['test/unit/renderer/support/patience.ts'],
          // The slowest take 1.5 s by themselves: reading a screen's code for the first time, then jsdom's search by
          // roles. Ten times that is for machines with other work.
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['test/integration/**/*.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'lab',
          sequence: { groupOrder: 2 },
          include: ['test/lab/**/*.test.ts'],
          environment: 'node',
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
