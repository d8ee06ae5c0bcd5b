import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { activityEventSchema } from '#shared/model/event.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { expect, test } from './support/app.ts';
import { Keys } from './pages/keys.ts';

test('the Overview shows the history of the master as a table and as charts with keyboard control @smoke', async ({
  app,
  setup,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1 });
  const running = await waitFor(
    async () => (await setup.call('services.list', {})).services.find(({ state }) => state === 'RUNNING'),
    { timeoutMs: 60_000, what: 'a running service' },
  );
  const player = await joinAsPlayer({ port: running.address?.port ?? 0, username: 'Ada' });
  try {
    // The chart can show the player only after the master's next sample. The master takes a sample every ten seconds.
    await waitFor(
      async () => ((await setup.call('history.get', { range: '1h' })).playersPeak.at(-1) ?? 0) >= 1,
      {
        timeoutMs: 30_000,
        what: 'the player in the history',
      },
    );
    await app.goTo('Services');
    await app.goTo('Overview');
    const charts = window.getByRole('group', { name: 'Charts' });
    const players = charts.getByRole('slider', { name: 'Players over time' });
    await expect(players).toHaveAttribute('aria-valuetext', /players, 100 limit$/);
    // Check the pixels: the canvas must contain the colour of the line.
    const painted = players.locator('canvas');
    await expect(painted).toBeVisible();
    await expect.poll(() => painted.evaluate(COLOURS)).toBeGreaterThan(2);

    await players.focus();
    await window.keyboard.press('ArrowLeft');
    const services = charts.getByRole('slider', { name: 'Services over time' });
    const last = await players.getAttribute('aria-valuemax');
    await expect(players).toHaveAttribute('aria-valuenow', String(Number(last) - 1));
    await expect(services).toHaveAttribute('aria-valuenow', String(Number(last) - 1));
    await window.keyboard.press('Escape');
    await expect(services).toHaveAttribute('aria-valuenow', String(last));

    await window.getByRole('radio', { name: '24 h' }).check({ force: true });
    await expect(players).toHaveAttribute('aria-valuemax', '288');
    await window.getByRole('button', { name: 'Show as table' }).click();
    const table = window.getByRole('dialog', { name: 'The last 24 hours as a table' });
    await expect(table.getByRole('columnheader', { name: 'Players', exact: true })).toBeVisible();
    // The table contains the header and one row for each span of five minutes. This test may have begun in the
    // previous span.
    expect([2, 3]).toContain(await table.getByRole('row').count());
    await window.keyboard.press('Escape');

    // The app keeps the chosen time span after a reload.
    await window.reload();
    await window.locator('html[data-live="true"]').waitFor({ state: 'attached' });
    await expect(players).toHaveAttribute('aria-valuemax', '288');
    await expect(window.getByText('No cloud nodes')).toBeVisible();
  } finally {
    await player.leave();
  }
});

test('a user searches the activity log, and saves it as CSV and as JSON lines', async ({
  app,
  data,
  setup,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await setup.templateWithoutJar('arena');
  await app.goTo('Activity');
  const feed = window.getByRole('feed');
  await expect(feed.getByRole('article').filter({ hasText: 'lobby' }).first()).toBeVisible();
  await window.getByRole('searchbox', { name: 'Filter events' }).fill('ARENA created');
  await expect(feed.getByRole('article')).toHaveCount(1);
  await expect(feed.getByRole('article')).toContainText('arena');

  const jsonl = join(data, 'saved.jsonl');
  await app.answerSaveDialogs(jsonl);
  await window.getByRole('button', { name: 'Export' }).click();
  await window.getByRole('menuitem', { name: 'Export filtered events as JSON lines' }).click();
  await expect(window.getByText('1 event exported')).toBeVisible();
  const lines = (await readFile(jsonl, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(['template.created']);

  await window.getByRole('button', { name: 'Clear filter' }).click();
  const csv = join(data, 'saved.csv');
  await app.answerSaveDialogs(csv);
  await window.getByRole('button', { name: 'Export' }).click();
  await window.getByRole('menuitem', { name: 'Export all events as a table (CSV)' }).click();
  await expect(window.getByText(/\d+ events exported/)).toBeVisible();
  const all = await setup.call('activity.list', { limit: 500 });
  const rows = (await readFile(csv, 'utf8')).trimEnd().split('\r\n');
  expect(rows[0]).toContain('seq,time,kind');
  expect(rows.length - 1).toBeLessThanOrEqual(all.length);
  expect(rows.length - 1).toBeGreaterThanOrEqual(3);
  expect(activityEventSchema.parse(all[0]).seq).toBeGreaterThan(0);
});

test('a user opens the details of a node, and cordons and resumes the node, with the keyboard alone', async ({
  setup,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1 });
  const running = await waitFor(
    async () => (await setup.call('services.list', {})).services.find(({ state }) => state === 'RUNNING'),
    { timeoutMs: 60_000, what: 'a running service' },
  );
  const keys = new Keys(window);
  await keys.tabTo('link', 'Nodes');
  await keys.press('Enter');
  await expect(window.getByRole('heading', { level: 1, name: 'Nodes' })).toBeVisible();
  await keys.tabTo('grid', 'Nodes');
  await keys.press('Enter');
  const details = window.getByRole('region', { name: 'local' });
  await expect(details).toBeVisible();
  await expect(details.getByText('Own machine')).toBeVisible();

  await keys.tabTo('button', 'Actions for node local');
  await keys.press('Enter');
  await expect(window.getByRole('menuitem', { name: 'Stop new services' })).toBeFocused();
  await keys.press('Enter');
  await expect(details.getByText('No new services', { exact: true }).first()).toBeVisible();
  expect((await setup.call('nodes.list', {}))[0]?.state).toBe('CORDONED');
  await keys.expectFocus('button', 'Actions for node local');
  await keys.press('Enter');
  // The arrow keys skip disabled items.
  await expect(window.getByRole('menuitem', { name: 'Drain node…' })).toBeFocused();
  await keys.press('ArrowDown');
  await expect(window.getByRole('menuitem', { name: 'Allow new services' })).toBeFocused();
  await keys.press('Enter');
  await expect(details.getByText('Ready', { exact: true }).first()).toBeVisible();

  // The map of a node's RAM links each part to the service that takes it.
  const block = details.getByRole('link', { name: new RegExp(`^${running.id}, Empty`) });
  await expect(block).toBeVisible();
  await keys.tabTo('link', (await block.getAttribute('aria-label')) ?? '');
  await keys.press('Enter');
  await expect(window.getByRole('heading', { level: 1, name: 'Services' })).toBeVisible();
  await expect(window.getByRole('region', { name: running.id })).toBeVisible();
});

/** Function for the page. Returns the number of colours on a canvas. */
const COLOURS = (canvas: unknown): number => {
  const { width, height, getContext } = canvas as HTMLCanvas;
  const { data } = getContext.call(canvas, '2d').getImageData(0, 0, width, height);
  const colours = new Set<number>();
  for (let i = 0; i < data.length; i += 4) {
    if ((data[i + 3] ?? 0) === 255)
      colours.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
  }
  return colours.size;
};

/**
 * Members of the page's canvas that the test uses. They are declared here, because scripts are type-checked without
 * the DOM's types.
 */
interface HTMLCanvas {
  readonly width: number;
  readonly height: number;
  readonly getContext: (kind: '2d') => {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}
