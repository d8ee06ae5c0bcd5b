import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { connectApp } from '../support/app/connect-app.ts';
import { openApp } from '../support/app/open-app.ts';
import { WorldPerson } from '../support/app/world-person.ts';
import {
  counterIn,
  createSurvival,
  nextNumberInLog,
  numbersInLog,
  volumeOf,
} from '../support/master/world.ts';
import { sharedStage } from './stage/stage.ts';
import { watchTwins } from './stage/twin-watch.ts';

const SERVICE = 'survival-1';
const VOLUME = 'survival/1';

const folder = mkdtempSync(join(tmpdir(), 'overworld-worlds-'));
const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })];
let person: WorldPerson;

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  mkdirSync('test-results/lab', { recursive: true });
  await person.window.screenshot({ path: `test-results/lab/${task.name.replace(/\W+/g, '-')}.png` });
});

/** Converts a duration in the window to ms. Example: `1 min 20 s` → 80,000. */
function toMs(words = ''): number {
  return [...words.matchAll(/(\d+) (min|s)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unit === 'min' ? 60_000 : 1_000),
    0,
  );
}

/** A person looks after a world in the window, while its service moves between cloud nodes. */
describe('the management of persistent worlds in the window', () => {
  const fixture = sharedStage(async (stage) => {
    // The table of services shows the column of nodes only in a wide window.
    const switches = ['--window=1640x900', '--on-quit=stop'];
    const [master, app] = await Promise.all([
      stage.start(),
      openApp({ dataFolder: join(folder, 'data'), switches }),
    ]);
    closers.push(() => app.electron.close());
    await createSurvival(stage.master, { name: 'Survival' });
    const authorize = (publicKey: string) =>
      stage.master.call('keys.add', { name: 'anna', role: 'owner', publicKey });
    await connectApp(app, { ...master, name: 'Network', authorize });
    person = new WorldPerson(app, 'survival');
  });

  /**
   * Lets Alex join and leave, and waits until the window shows both events. @returns the server's message about the
   * visit
   */
  async function visit(): Promise<string | undefined> {
    const player = await fixture().join(SERVICE, 'Alex');
    await person.untilService(SERVICE, 'Players online');
    await player.leave();
    await person.untilService(SERVICE, 'Empty');
    return player.heard.find((line) => line.startsWith('Visit'));
  }

  const startsInLog = (): Promise<number[]> => numbersInLog(fixture().master, SERVICE, 'world starts at ');
  const nextStart = (before: readonly number[]): Promise<number> =>
    nextNumberInLog(fixture().master, { id: SERVICE, words: 'world starts at ', before });

  it('keeps changes by a player after the service was stopped and started on another node', async () => {
    await person.untilService(SERVICE, 'Empty', 'node-1');
    const twins = watchTwins(fixture());
    expect(await nextStart([])).toBe(0);
    const starts = await startsInLog();
    expect(await visit()).toBe('Visit 1 of Alex');

    await person.chooseForNode('node-1', 'Stop new services');
    const dialog = await person.askToStop(SERVICE);
    await dialog.getByText('The files at its persistent paths are saved first.').waitFor();
    await dialog.getByRole('button', { name: 'Stop service', exact: true }).click();
    await person.untilService(SERVICE, 'Empty', 'node-2');

    const save = (await volumeOf(fixture().master))?.lastSave;
    expect(save).toMatchObject({ node: 'node-1', consistent: true });
    const counter = save ? await counterIn(fixture().master, save) : null;
    expect(await nextStart(starts)).toBe(counter);
    expect(await visit()).toBe('Visit 2 of Alex');
    const row = await person.openData(VOLUME);
    await row.getByRole('link', { name: 'node-2', exact: true }).waitFor();
    expect(await row.getByRole('button', { name: `1 save of ${VOLUME}` }).count()).toBe(1);
    expect(await twins.stop()).toEqual([]);
  });

  it('shows which data was lost with a destroyed node, and the service starts from the last save', async () => {
    const { master, cloud } = fixture();
    const twins = watchTwins(fixture());
    await person.chooseForNode('node-1', 'Allow new services');
    const row = await person.openData(VOLUME);
    await row.getByRole('button', { name: `Actions for volume ${VOLUME}` }).click();
    await person.window.getByRole('menuitem', { name: 'Save now' }).click();
    await person.window.getByText(`Volume ${VOLUME} saved: `).waitFor();
    const save = (await volumeOf(master))?.lastSave;
    expect(save).toMatchObject({ node: 'node-2', consistent: true });
    const starts = await startsInLog();

    expect(await visit(), 'a change after the save').toBe('Visit 3 of Alex');
    const unsavedMs = Date.now() - (save?.at ?? 0);
    cloud.api.deleteByHand(cloud.node('node-2').name);
    const line = await person.findEvent(`${SERVICE} lost up to`);
    const [event] = await master.call('activity.list', { kinds: ['volume.lost'], limit: 1 });
    const message = event?.message ?? '';
    expect(await line.innerText()).toContain(message);
    const reportedMs = toMs(/ up to (.*) of data: what was written since its last save$/.exec(message)?.[1]);
    expect(reportedMs).toBeGreaterThanOrEqual(unsavedMs);
    expect(reportedMs, 'rounded up to seconds').toBeLessThan((event?.at ?? 0) - (save?.at ?? 0) + 1_000);

    await person.openData(VOLUME);
    const notice = person.window.getByRole('status').filter({ hasText: message });
    await notice.getByText('because its node no longer exists').waitFor();

    await person.untilService(SERVICE, 'Empty', 'node-1');
    expect(await nextStart(starts)).toBe(save ? await counterIn(master, save) : null);
    expect(await visit(), 'the visit that was lost').toBe('Visit 3 of Alex');
    expect(await twins.stop()).toEqual([]);
  });

  it('shows the differences to an earlier save, and restores this save after a confirmation', async () => {
    const { master } = fixture();
    const [starts, before] = [await startsInLog(), await master.call('volumes.saves', { id: VOLUME })];
    const earliest = before.at(-1);
    const saves = await person.openSaves(VOLUME);
    await saves.getByRole('radio').last().check();
    await saves.getByText('would be changed').waitFor();
    await saves.getByText('± world/visits/Alex').waitFor();
    await saves.getByRole('button', { name: 'Restore…' }).click();
    const restore = person.dialog(/^Restore survival\/1 to/);
    await restore.getByText(`${SERVICE} is stopped, and its data is saved first.`).waitFor();
    await restore.getByText(`Then ${SERVICE} starts again.`).waitFor();
    await restore.getByRole('button', { name: 'Stop service and restore' }).click();
    await restore.waitFor({ state: 'detached', timeout: 60_000 });
    await saves.getByRole('button', { name: 'Close' }).last().click();

    expect(await nextStart(starts)).toBe(earliest ? await counterIn(master, earliest) : null);
    await person.untilService(SERVICE, 'Empty', 'node-1');
    expect(await visit(), 'the visit after the first one').toBe('Visit 2 of Alex');
    const line = await person.findEvent(`The next start of ${SERVICE} uses the earlier save`);
    expect(await line.innerText()).toContain('anna');
    const after = await master.call('volumes.saves', { id: VOLUME });
    expect(after.length, 'the data before the restore is a save').toBe(before.length + 1);
  });
});
