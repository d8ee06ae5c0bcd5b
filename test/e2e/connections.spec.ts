import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askApp } from '#test/support/app/open-app.ts';
import { MasterProcess, type Announcement } from '#test/support/master/master-process.ts';
import { expect, test as base } from './support/app.ts';
import { ConnectionsPage } from './pages/connections.ts';

interface Remote {
  readonly master: MasterProcess;
  readonly announced: Announcement;
  /** Authorizes the app's key on the master. */
  letIn: (name?: string) => Promise<void>;
  /** Starts another master on the same port. It has another host key, and already authorizes the app. */
  setUpAnew: (port: number) => Promise<Pick<Remote, 'master' | 'announced'>>;
}

/**
 * Adds two fixtures. `remote` is a master in its own process, as on a server, which has not authorized the app's key
 * yet. `connections` is the Connections screen.
 */
const test = base.extend<{ remote: Remote; connections: ConnectionsPage }>({
  remote: async ({ window }, use) => {
    const started: MasterProcess[] = [];
    const folders: string[] = [];
    const { publicKey } = await askApp(window, 'app.info', {});
    const start = async (switches: readonly string[]) => {
      const data = await mkdtemp(join(tmpdir(), 'overworld-remote-'));
      folders.push(data);
      const master = new MasterProcess(data, { from: 26_640, to: 26_659 }, switches);
      started.push(master);
      return { master, announced: await master.start() };
    };
    const first = await start([]);
    const letIn = async (name = 'desk'): Promise<void> => {
      await first.master.call('keys.add', { name, role: 'owner', publicKey });
    };
    const setUpAnew = (port: number) => start(['--ssh-port', String(port), '--owner-key', publicKey.trim()]);
    await use({ ...first, letIn, setUpAnew });
    for (const master of started) await master.terminate();
    for (const data of folders) await rm(data, { recursive: true, force: true });
  },
  connections: async ({ window }, use) => {
    await use(new ConnectionsPage(window));
  },
});

test('a user adds a remote master and trusts its host key, and the app never shows data of another master', async ({
  app,
  connections,
  setup,
  remote,
  window,
}) => {
  const templateRow = (id: string) =>
    window
      .getByRole('grid', { name: 'Templates' })
      .getByRole('row')
      .filter({ has: window.getByText(id, { exact: true }) });
  await setup.templateWithoutJar('here');
  await remote.master.call('templates.create', { id: 'there', config: { name: 'There' } });
  await app.goTo('Connections');
  await connections.addAndConnect('Berlin', remote.announced);

  const question = connections.newKey;
  await expect(question).toBeVisible();
  await expect(question.getByLabel(`Host key it shows: ${remote.announced.hostKey}`)).toBeVisible();
  await question.getByLabel('Paste its output to compare').fill('SHA256:' + 'A'.repeat(43));
  await expect(question.getByRole('button', { name: 'Trust and connect' })).toBeDisabled();
  await question.getByLabel('Paste its output to compare').fill(`Host key  ${remote.announced.hostKey}`);
  await expect(question.getByText('The keys are the same.')).toBeVisible();
  await app.answerQuestions('Cancel');
  await question.getByRole('button', { name: 'Trust and connect' }).click();
  await expect.poll(() => app.questions()).toEqual([expect.stringContaining(remote.announced.hostKey)]);
  await expect(question, 'the page alone trusts nothing').toBeVisible();
  await app.answerQuestions('Trust this key');
  await question.getByRole('button', { name: 'Trust and connect' }).click();

  // The master has not authorized this app's key yet, so the window shows the exact command that authorizes the key.
  const { publicKey } = await askApp(window, 'app.info', {});
  const line = window.getByText(/overworld-master keys add --role owner overworld-app-\w{6}/);
  await expect(
    connections.row('Berlin').getByText(/keys add --role owner overworld-app-\w{6}/),
  ).toContainText(publicKey.trim());
  await window.getByRole('link', { name: 'Overview' }).click();
  await expect(line).toContainText(publicKey.trim());
  await remote.letIn();
  await window.getByRole('button', { name: 'Try now' }).click();
  await connections.expectMaster('Berlin');
  await app.goTo('Templates');
  await expect(templateRow('there')).toBeVisible();
  await expect(templateRow('here')).toHaveCount(0);

  await connections.switchTo('This computer');
  await connections.expectMaster('This computer');
  await app.goTo('Templates');
  await expect(templateRow('here')).toBeVisible();
  await expect(templateRow('there')).toHaveCount(0);

  await app.goTo('Connections');
  await expect(connections.row('Berlin')).toContainText('host key trusted');
  await connections.row('Berlin').getByRole('button', { name: 'Actions for Berlin' }).click();
  await window.getByRole('menuitem', { name: 'Test connection' }).click();
  await expect(connections.row('Berlin')).toContainText(/Reached in \d+ ms/);
  await connections.row('Berlin').getByRole('button', { name: 'Actions for Berlin' }).click();
  await window.getByRole('menuitem', { name: 'Remove…' }).click();
  await window.getByRole('dialog').getByRole('button', { name: 'Remove connection' }).click();
  await expect(connections.row('Berlin')).toHaveCount(0);
});

test('after a switch to another master, the app rejects requests of the page for the previous master', async ({
  app,
  electronApp,
  connections,
  remote,
  window,
}) => {
  await remote.letIn();
  const { host, port, hostKey } = remote.announced;
  const draft = { name: 'Berlin', host, port };
  const { id } = await askApp(window, 'connections.save', { id: null, draft });
  await askApp(window, 'connections.test', { id, draft });
  await app.answerQuestions('Trust this key');
  await askApp(window, 'connections.trust', { id, hostKey });
  // Prevent the reload, as if the new page took long to load.
  await electronApp.evaluate(({ BrowserWindow }) => {
    for (const { webContents } of BrowserWindow.getAllWindows()) webContents.reload = () => undefined;
  });
  await askApp(window, 'connections.use', { id });
  await expect
    .poll(() => askApp(window, 'link.get', {}))
    .toMatchObject({ status: 'connected', connection: id });
  const create = { method: 'templates.create', params: { id: 'lost', config: { name: 'Lost' } } } as const;
  await expect(askApp(window, 'rpc.call', create)).rejects.toThrow('MASTER_SWITCHED');
  await expect(askApp(window, 'files.list', { folder: '/' })).rejects.toThrow('MASTER_SWITCHED');
  expect(await remote.master.call('templates.list', {})).toEqual([]);

  await window.reload();
  await connections.expectMaster('Berlin');
  await askApp(window, 'rpc.call', create);
  expect(await remote.master.call('templates.list', {})).toMatchObject([{ id: 'lost' }]);
});

test('a changed host key prevents a connection until the user has typed the name of the connection', async ({
  app,
  connections,
  remote,
  window,
}) => {
  const { host, port, hostKey: old } = remote.announced;
  const draft = { name: 'Berlin', host, port };
  const { id } = await askApp(window, 'connections.save', { id: null, draft });
  await askApp(window, 'connections.test', { id, draft });
  await app.answerQuestions('Trust this key');
  await askApp(window, 'connections.trust', { id, hostKey: old });
  // Simulate a reinstalled machine: a master with a new data folder at the same address.
  await remote.master.terminate();
  const another = await remote.setUpAnew(port);
  const { hostKey } = another.announced;
  await connections.switchTo('Berlin');

  const dialog = connections.changedKey('Berlin');
  await expect(dialog).toBeVisible();
  await expect(dialog).toContainText('Someone may be intercepting the connection');
  await expect(dialog.getByLabel(`Trusted key: ${old}`)).toBeVisible();
  await expect(dialog.getByLabel(`New key: ${hostKey}`)).toBeVisible();
  expect(another.master.log, 'nobody has logged in').not.toContain('logged in');
  const trust = dialog.getByRole('button', { name: 'Trust the new key' });
  await expect(trust).toBeDisabled();
  await dialog.getByLabel('Type Berlin to trust the new key').fill('Paris');
  await expect(trust).toBeDisabled();
  await dialog.getByRole('button', { name: 'Do not connect' }).click();
  await expect(dialog).toBeHidden();
  await window.getByRole('button', { name: 'Compare its key…' }).click();
  await dialog.getByLabel('Type Berlin to trust the new key').fill('Berlin');
  await app.answerQuestions('Trust the new key');
  await trust.click();
  expect(await app.questions()).toEqual([expect.stringContaining(`${host}:${port} shows now:\n${hostKey}`)]);
  await connections.expectMaster('Berlin');
});

test('a user opens screens, the command palette and the list of shortcuts with the keyboard alone', async ({
  window,
}) => {
  const heading = (name: string) => window.getByRole('heading', { level: 1, name });
  await window.keyboard.press('Control+2');
  await expect(heading('Services')).toBeVisible();
  await window.keyboard.press('g');
  await window.keyboard.press(',');
  await expect(heading('Preferences')).toBeVisible();

  await window.keyboard.press('?');
  const sheet = window.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet).toContainText('Search or run a command');
  await window.keyboard.press('Escape');
  await expect(sheet).toBeHidden();

  const rowHeight = () =>
    window.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--row-height")');
  expect(await rowHeight()).toBe('36px');
  await window.keyboard.press('Control+k');
  const input = window.getByRole('combobox', { name: 'Search screens' });
  const chosen = window.getByRole('listbox', { name: 'Results' }).getByRole('option', { selected: true });
  await expect(input).toBeFocused();
  await window.keyboard.type('compact');
  await expect(chosen).toContainText('Use compact rows');
  await window.keyboard.press('Enter');
  await expect(input).toBeHidden();
  await expect(window.locator('html')).toHaveAttribute('data-density', 'compact');
  expect(await rowHeight()).toBe('28px');
  expect(await askApp(window, 'app.preferences', {})).toMatchObject({ density: 'compact' });

  await window.keyboard.press('Control+k');
  await window.keyboard.type('max_online');
  await expect(chosen).toContainText('Configuration');
  await window.keyboard.press('Escape');
  await window.keyboard.press('Control+2');
  await expect(heading('Services')).toBeVisible();
  await window.keyboard.press('Alt+ArrowLeft');
  await expect(heading('Preferences')).toBeVisible();
});
