import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  _electron as electron,
  expect,
  test as base,
  type ElectronApplication,
  type Page,
} from 'playwright/test';
import { appEnvironment, machineSwitches } from '../../../build/scripts/app.mjs';
import { electronRuntime } from '../../../build/scripts/electron/runtime.mjs';
import { root } from '../../../build/scripts/paths.mjs';
import { Setup } from './setup.ts';
import { App } from '../pages/app.ts';
import { Files } from '../pages/files.ts';
import { Services } from '../pages/services.ts';
import { TemplatePage } from '../pages/template.ts';
import { endProcessesIn } from './processes.ts';

interface Fixtures {
  /** Fails the test if a window had an uncaught error. After such an error, the window may show old data. */
  readonly noUncaughtErrors: undefined;
  /**
   * Data folder of the app. After the test, the processes in this folder are killed, and the folder and the files
   * next to it are removed.
   */
  readonly data: string;
  readonly electronApp: ElectronApplication;
  /** The app's window, once it shows the overview. */
  readonly window: Page;
  readonly app: App;
  readonly files: Files;
  readonly services: Services;
  readonly template: TemplatePage;
  readonly setup: Setup;
}

/** Uncaught errors and unhandled rejections in the windows of the running test. */
const uncaughtErrors: string[] = [];

/** Provides tests with the real, built app on a new data folder with its embedded master. */
export const test = base.extend<Fixtures>({
  noUncaughtErrors: [
    // Playwright reads the fixtures that a fixture needs from its first parameter, which must be an object pattern.
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      uncaughtErrors.length = 0;
      await use(undefined);
      expect(uncaughtErrors, 'errors in the window that nothing handled').toEqual([]);
    },
    { auto: true },
  ],
  // Playwright reads the fixtures that a fixture needs from its first parameter, which must be an object pattern.
  // eslint-disable-next-line no-empty-pattern
  data: async ({}, use) => {
    const around = await mkdtemp(join(tmpdir(), 'overworld-e2e-'));
    const folder = join(around, 'data');
    await mkdir(folder);
    await use(folder);
    await endProcessesIn(folder);
    await rm(around, { recursive: true, force: true, maxRetries: 3 });
  },
  electronApp: async ({ data }, use) => {
    const app = await launch(data);
    await use(app);
    await app.close();
  },
  window: async ({ electronApp }, use) => {
    await use(await liveWindow(electronApp));
  },
  app: async ({ window, electronApp }, use) => {
    await use(new App(window, electronApp));
  },
  files: async ({ window }, use) => {
    await use(new Files(window));
  },
  services: async ({ window }, use) => {
    await use(new Services(window));
  },
  template: async ({ window }, use) => {
    await use(new TemplatePage(window));
  },
  setup: async ({ window, data }, use) => {
    await use(new Setup(window, data));
  },
});

export { expect } from 'playwright/test';

/** Address at which no server answers, so that no test sends requests to the real provider. */
const NO_PROVIDER = 'http://127.0.0.1:9/v1';

/** Default switches: a fixed window size, and all services stop when the app quits. */
const usual = ['--window=1280x800', '--on-quit=stop'];

/**
 * Starts the app on a data folder. The caller closes it.
 *
 * @param env additional environment variables
 */
export async function launch(
  data: string,
  switches: readonly string[] = usual,
  env: Readonly<Record<string, string>> = {},
): Promise<ElectronApplication> {
  const app = await electron.launch({
    executablePath: electronRuntime().executable,
    args: [root, ...machineSwitches(), `--data=${data}`, ...switches],
    env: appEnvironment({ ...process.env, OVERWORLD_PROVIDER_URL: NO_PROVIDER, ...env }),
  });
  const record = (window: Page): void => {
    window.on('pageerror', ({ stack, message }) => uncaughtErrors.push(stack ?? message));
  };
  app.windows().forEach(record);
  app.on('window', record);
  return app;
}

/** Returns the app's window once it is connected and shows its first data. */
export async function liveWindow(app: ElectronApplication): Promise<Page> {
  const window = await app.firstWindow();
  await window.locator('html[data-live="true"]').waitFor({ state: 'attached' });
  return window;
}
