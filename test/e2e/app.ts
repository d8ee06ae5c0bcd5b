import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron as electron, test as base, type ElectronApplication, type Page } from 'playwright/test';
import { machineSwitches } from '../../build/scripts/app.mjs';
import { electronRuntime } from '../../build/scripts/electron-runtime.mjs';
import { root } from '../../build/scripts/paths.mjs';
import { App } from './pages/app.ts';

interface Fixtures {
  /** Folder of everything the app keeps; removed afterwards. */
  readonly data: string;
  readonly electronApp: ElectronApplication;
  /** The window, once it shows the dashboard. */
  readonly window: Page;
  readonly app: App;
}

/** Tests with the real app, as built, on a fresh data folder with its embedded master. */
export const test = base.extend<Fixtures>({
  // Playwright reads the fixtures a fixture needs from its first parameter, which must be an object pattern.
  // eslint-disable-next-line no-empty-pattern
  data: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'overworld-e2e-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  electronApp: async ({ data }, use) => {
    const app = await launch(data);
    await use(app);
    await app.close();
  },
  window: async ({ electronApp }, use) => {
    const window = await electronApp.firstWindow();
    await window.locator('html[data-live="true"]').waitFor();
    await use(window);
  },
  app: async ({ window, electronApp }, use) => {
    await use(new App(window, electronApp));
  },
});

export { expect } from 'playwright/test';

/** Starts the app on a data folder; services end with it. */
export function launch(data: string, args: readonly string[] = []): Promise<ElectronApplication> {
  return electron.launch({
    executablePath: electronRuntime().executable,
    args: [root, ...machineSwitches(), `--data=${data}`, '--window=1280x800', '--on-quit=stop', ...args],
  });
}
