import { defineConfig } from 'playwright/test';

/**
 * Runs complete user stories in the real app. Runs one story at a time, because each story needs its own Electron,
 * master and JVMs. Failed stories are not retried: a story that passes only at the second attempt shows a defect of
 * the test or of the app.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../../test-results/e2e',
  workers: 1,
  retries: 0,
  timeout: 420_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env['CI'] !== undefined,
  use: { trace: 'retain-on-failure' },
  reporter: [['list'], ['json', { outputFile: '../../test-results/playwright.json' }]],
});
