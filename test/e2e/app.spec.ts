import { readFile, writeFile } from 'node:fs/promises';
import type { ElectronApplication, Page } from 'playwright/test';
import { isRunning } from '#test/support/is-running.ts';
import { expect, launch, liveWindow, test } from './support/app.ts';
import { Setup } from './support/setup.ts';
import { App } from './pages/app.ts';
import { Files } from './pages/files.ts';
import { Services } from './pages/services.ts';
import { end, javaProcessesIn } from './support/processes.ts';

test('after a restart, the app has the same theme, window position and screen as before', async ({
  data,
}) => {
  const bounds = { x: 40, y: 30, width: 1000, height: 700 };
  const first = await launch(data, ['--on-quit=stop']);
  const before = await liveWindow(first);
  await expect(before.locator('html')).toHaveAttribute('data-theme', await systemTheme(first));
  await chooseTheme(before, 'Dark');
  await expect(before.locator('html')).toHaveAttribute('data-theme', 'dark');
  await chooseTheme(before, 'Light');
  await expect(before.locator('html')).toHaveAttribute('data-theme', 'light');
  await chooseTheme(before, 'Dark');
  await expect(before.locator('html')).toHaveAttribute('data-theme', 'dark');
  await new App(before, first).goTo('Activity');
  await first.evaluate(({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to), bounds);
  await first.close();

  const second = await launch(data, ['--on-quit=stop']);
  const after = await liveWindow(second);
  await expect(after.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(after.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
  expect(await second.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())).toEqual(
    bounds,
  );
  await chooseTheme(after, 'Same as system');
  await expect(after.locator('html')).toHaveAttribute('data-theme', await systemTheme(second));
  await second.close();
});

test('a hidden window loads no data, and shows the current data as soon as it is shown again', async ({
  app,
  electronApp,
  setup,
}) => {
  await setup.template('lobby');
  await app.goTo('Services');
  await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
  await setup.call('services.start', { template: 'lobby' });
  const states = async (): Promise<readonly string[]> =>
    (await setup.call('services.list', {})).services.map(({ state }) => state);
  await expect.poll(states).toEqual(['RUNNING']);
  expect(await app.serviceRow('lobby-1').count()).toBe(0);
  await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.show());
  await app.expectState('lobby-1', 'Empty');
});

test('the app restarts a killed embedded master automatically, and its services keep running', async ({
  app,
  data,
  electronApp,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1, maximumOnlineServers: 2 });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  const running = await javaProcessesIn(data);
  expect(running).toHaveLength(1);

  const offline = expect(window.getByRole('status').filter({ hasText: 'Offline.' })).toBeVisible();
  const notConnected = expect(
    window.getByRole('status', { name: 'Connection to the master: Connected' }),
  ).toBeHidden();
  end(await masterPid(electronApp));
  await Promise.all([offline, notConnected]);
  expect(await javaProcessesIn(data)).toEqual(running);
  await app.expectState('lobby-1', 'Empty');

  await expect(window.getByRole('status', { name: 'Connection to the master: Connected' })).toBeVisible();
  await expect(window.getByText('Offline.')).toBeHidden();
  await app.expectState('lobby-1', 'Empty');
  await services.open('lobby-1');
  await services.tab('Details');
  await expect(services.panel('lobby-1')).toContainText(`Process ${running[0]}`);
  await expect(window.getByRole('grid', { name: 'Services' }).getByRole('row')).toHaveCount(2);
  expect(await javaProcessesIn(data), 'no twin was started').toEqual(running);
  await app.goTo('Activity');
  await app.activity('lobby-1 was already running on local and was taken over');
});

test('the app asks on quit whether to stop or keep running services, and adopts kept services at its next start', async ({
  data,
}) => {
  const first = await launch(data, ['--window=1280x800']);
  const window = await liveWindow(first);
  await new Setup(window, data).template('lobby', { minimumRunningServers: 1, maximumOnlineServers: 2 });
  const app = new App(window, first);
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  const running = await javaProcessesIn(data);
  expect(running).toHaveLength(1);

  await answerMessageBoxes(first, 'Cancel');
  await closeWindow(first);
  await expect.poll(() => messages(first)).toEqual(['1 service is running on this computer.']);
  await app.expectState('lobby-1', 'Empty');
  await answerMessageBoxes(first, 'Keep them running');
  await quit(first);
  expect(isRunning(running[0] ?? 0), 'the kept service lives on without the app').toBe(true);

  const second = await launch(data, ['--window=1280x800']);
  const again = await liveWindow(second);
  await new App(again, second).expectState('lobby-1', 'Empty');
  const services = new Services(again);
  await services.open('lobby-1');
  await services.tab('Details');
  await expect(services.panel('lobby-1')).toContainText(`Process ${running[0]}`);
  expect(await javaProcessesIn(data)).toEqual(running);
  await answerMessageBoxes(second, 'Stop services and quit');
  await quit(second);
  expect(await javaProcessesIn(data)).toEqual([]);
});

test('the app asks before it quits if there are unsaved texts', async ({ data }) => {
  const app = await launch(data, ['--window=1280x800']);
  const window = await liveWindow(app);
  const setup = new Setup(window, data);
  await setup.templateWithoutJar('lobby');
  await writeFile(setup.folder('lobby', 'motd.txt'), 'Hello');
  const files = new Files(window);
  await files.open('lobby');
  await files.row('motd.txt').dblclick();
  await files.editor.click();
  await window.keyboard.press('End');
  await window.keyboard.type(' all');

  await answerMessageBoxes(app, 'Cancel');
  await closeWindow(app);
  await expect.poll(() => messages(app)).toEqual(['Quit and discard unsaved changes?']);
  await expect(files.editor).toHaveText('Hello all');
  await window.keyboard.press('Control+s');
  await expect.poll(() => readFile(setup.folder('lobby', 'motd.txt'), 'utf8')).toBe('Hello all');

  await window.keyboard.type(' the same');
  await expect(files.editor).toHaveText('Hello all the same');
  await answerMessageBoxes(app, 'Quit without saving');
  await quit(app);
  expect(await readFile(setup.folder('lobby', 'motd.txt'), 'utf8')).toBe('Hello all');
});

test('the app quits on SIGTERM although it asks whether to quit', async ({ data }) => {
  const app = await launch(data, ['--window=1280x800']);
  const window = await liveWindow(app);
  await window.evaluate("overworld.request('app.unsaved', { names: ['template lobby'] })");
  await watchMessageBoxes(app);
  await closeWindow(app);
  await expect.poll(() => messages(app)).toEqual(['Quit and discard unsaved changes?']);
  const closed = app.waitForEvent('close', { timeout: 60_000 });
  app.process().kill('SIGTERM');
  await closed;
});

test('the app reloads a crashed page, and asks first if the page crashes again within a minute', async ({
  data,
}) => {
  const app = await launch(data);
  await liveWindow(app);
  await answerMessageBoxes(app, 'Reload window');
  await crashPage(app);
  await expect.poll(() => hasLivePage(app)).toBe(true);
  expect(await messages(app)).toEqual([]);

  await crashPage(app);
  await expect.poll(() => messages(app)).toEqual(['The window crashed again within a minute.']);
  await expect.poll(() => hasLivePage(app)).toBe(true);
  await quit(app);
});

test('the page in the window cannot use Node.js, open other pages or run injected code @smoke', async ({
  electronApp,
  window,
}) => {
  for (const name of ['require', 'process', 'module', 'Buffer', 'global', '__dirname', 'electron']) {
    expect(await window.evaluate(`typeof globalThis[${JSON.stringify(name)}]`), name).toBe('undefined');
  }
  expect(await window.evaluate('Object.keys(overworld).sort()')).toEqual([
    'planDrop',
    'request',
    'subscribe',
  ]);

  const address = window.url();
  await window.evaluate('location.href = "https://example.org/"');
  await window.evaluate('location.href = "file:///etc/hostname"');
  await window.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<a id="out" href="https://example.org/" target="_blank">out</a>'); document.getElementById('out').click()`);
  expect(await window.evaluate('window.open("https://example.org/")')).toBeNull();
  const refusedFetch = `new Promise((resolve) => {
    addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
    fetch('https://example.org/').catch(() => undefined);
  })`;
  expect(await window.evaluate(refusedFetch)).toBe('connect-src');
  expect(window.url()).toBe(address);
  expect(await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);

  await window.evaluate(`{
    const script = document.createElement('script');
    script.textContent = 'globalThis.broken = "inline script"';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="globalThis.broken = 1">');
    setTimeout('globalThis.broken = "timer"');
  }`);
  // Run the code in a separate task, because the page's security policy does not apply to code that the debugger
  // evaluates directly.
  const evalInPage = `new Promise((resolve) => setTimeout(() => {
    try { resolve(eval('1')) } catch (error) { resolve(error.name) }
  }))`;
  expect(await window.evaluate(evalInPage)).toBe('EvalError');
  expect(await window.evaluate('globalThis.broken')).toBeUndefined();
  expect(await window.evaluate('document.querySelector("h1").textContent')).toBe('Overview');
});

test('the app rejects requests of its page with an unknown method or invalid parameters', async ({
  app,
  window,
}) => {
  for (const [name, params, code] of [
    ['files.list', { folder: 'templates' }, 'PARAMS_INVALID'],
    ['files.list', { folder: '/templates', more: 1 }, 'PARAMS_INVALID'],
    ['files.list', null, 'PARAMS_INVALID'],
    ['files.delete', { paths: [] }, 'PARAMS_INVALID'],
    ['app.setPreferences', { theme: 'pink' }, 'PARAMS_INVALID'],
    ['app.remember', { key: 'k', value: 'x'.repeat(5000) }, 'PARAMS_INVALID'],
    ['transfers.start', { plan: 'made up', onConflict: 'ask' }, 'PARAMS_INVALID'],
    ['rpc.call', { method: 'master.explode', params: {} }, 'PARAMS_INVALID'],
    ['rpc.call', { method: 'services.stop', params: { id: '../etc', kill: false } }, 'PARAMS_INVALID'],
    ['app.quit', {}, 'METHOD_UNKNOWN'],
    ['constructor', {}, 'METHOD_UNKNOWN'],
    ['__proto__', {}, 'METHOD_UNKNOWN'],
    ['', {}, 'METHOD_UNKNOWN'],
  ] as const) {
    const reply = await window.evaluate(`overworld.request(...${JSON.stringify([name, params])})`);
    expect(reply, `${name} ${JSON.stringify(params).slice(0, 80)}`).toMatchObject({
      ok: false,
      error: { code },
    });
  }
  expect(
    await window.evaluate(
      'overworld.request("files.planDrop", { folder: "/files", localPaths: ["/etc/passwd"] }).catch(() => "refused")',
    ),
    'a page cannot name a path of this computer',
  ).toBe('refused');
  expect(
    await window.evaluate('overworld.planDrop("/files", [new File(["x"], "/etc/passwd")])'),
    'a made-up file has no path',
  ).toMatchObject({ ok: false, error: { code: 'PARAMS_INVALID' } });
  await app.goTo('Services');
});

async function chooseTheme(window: Page, name: string): Promise<void> {
  await window.getByRole('button', { name: 'Theme' }).click();
  await window.getByRole('menuitem', { name }).click();
}

function systemTheme(app: ElectronApplication): Promise<string> {
  return app.evaluate(({ nativeTheme }) => {
    const { themeSource } = nativeTheme;
    nativeTheme.themeSource = 'system';
    const theme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
    nativeTheme.themeSource = themeSource;
    return theme;
  });
}

/** Returns the process id of the embedded master. */
async function masterPid(app: ElectronApplication): Promise<number> {
  const pid = await app.evaluate(
    ({ app: electron }) => electron.getAppMetrics().find(({ name }) => name === 'Overworld master')?.pid,
  );
  if (pid === undefined) throw new Error('the embedded master does not run');
  return pid;
}

/** Crashes the process of the page, and waits until the app knows. */
async function crashPage(app: ElectronApplication): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }) =>
      new Promise<void>((resolve) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        contents?.once('render-process-gone', () => resolve());
        contents?.forcefullyCrashRenderer();
      }),
  );
}

/** Returns whether the window shows live data. Asks Electron, because Playwright gives up a page that has crashed. */
function hasLivePage(app: ElectronApplication): Promise<boolean> {
  return app.evaluate(async ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (contents === undefined || contents.isCrashed()) return false;
    return (await contents.executeJavaScript('document.documentElement.dataset.live')) === 'true';
  });
}

type Answer =
  'Reload window' | 'Quit without saving' | 'Stop services and quit' | 'Keep them running' | 'Cancel';

/** Variable in the main process: the questions of the replaced message boxes. */
interface Asked {
  asked?: string[];
}

/** Replaces the system's message boxes. Later questions are answered with the button that has this name. */
async function answerMessageBoxes(app: ElectronApplication, answer: Answer): Promise<void> {
  await app.evaluate(({ dialog }, wanted) => {
    const asked: string[] = [];
    (globalThis as Asked).asked = asked;
    dialog.showMessageBox = (...args: unknown[]) => {
      const { message, buttons } = args.at(-1) as { message: string; buttons: string[] };
      asked.push(message);
      return Promise.resolve({ response: buttons.indexOf(wanted), checkboxChecked: false });
    };
  }, answer);
}

/** Records the questions of the system's message boxes, and shows them. */
async function watchMessageBoxes(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ dialog }) => {
    const asked: string[] = [];
    (globalThis as Asked).asked = asked;
    type Show = (...args: unknown[]) => ReturnType<typeof dialog.showMessageBox>;
    const show = dialog.showMessageBox.bind(dialog) as Show;
    dialog.showMessageBox = (...args: unknown[]) => {
      const { message } = args.at(-1) as { message: string };
      asked.push(message);
      return show(...args);
    };
  });
}

function messages(app: ElectronApplication): Promise<string[] | undefined> {
  return app.evaluate(() => (globalThis as Asked).asked);
}

async function closeWindow(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
}

/** Closes the window as a person does, and waits until the app has exited. */
async function quit(app: ElectronApplication): Promise<void> {
  const closed = app.waitForEvent('close', { timeout: 60_000 });
  await closeWindow(app);
  await closed;
}
