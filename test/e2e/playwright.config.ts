import { defineConfig } from 'playwright/test';

/**
 * Whole stories in the real app. One at a time: each has an Electron, a master and a JVM to itself. Never repeated:
 * a test that passes only the second time is a defect, of the test or of the app.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../../test-results/e2e',
  workers: 1,
  retries: 0,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env['CI'] !== undefined,
  use: { trace: 'retain-on-failure' },
  reporter: [['list'], ['json', { outputFile: '../../test-results/playwright.json' }]],
});
