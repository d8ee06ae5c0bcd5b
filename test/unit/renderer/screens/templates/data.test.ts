import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import OverviewScreen from '#renderer/screens/overview/OverviewScreen.svelte';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { visibility } from '#renderer/stores/app/visibility.ts';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { volumes } from '#renderer/stores/volumes.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Volume } from '#shared/model/volume.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aNode, anEvent, aSave, aService, aTemplate, aVolume } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

const survival = aTemplate('survival', { persistentPaths: ['world*/'] });
const attached = {
  service: 'survival-1',
  node: 'node-1',
  since: Date.now() - 3_600_000,
  savedAt: Date.now() - 380_000,
};
const newest = aSave(2, { current: true, at: Date.now() - 380_000 });
const earlier = aSave(1, { at: Date.now() - 980_000 });
const inUse = (): Volume => aVolume('survival/1', { attached, lastSave: newest, saves: 2 });

async function open(
  world: WindowWorld,
  { at = ['templates', 'survival', 'data'], arrange }: { at?: string[]; arrange?: () => void } = {},
): Promise<void> {
  // Change `world` itself: the bridge reads this object for each request, so a test can change it later.
  world.templates ??= [survival];
  world.nodes ??= [aNode('node-1')];
  bridge = bridgeOver(world)
    .answerCall('volumes.saves', () => [newest, earlier])
    .answerCall('volumes.compare', () => ({
      added: [],
      removed: ['world/r.1.1.mca'],
      changed: ['level.dat'],
    }))
    .answerCall('volumes.attach', () => ({ lostMs: 380_000 }))
    .answerCall('volumes.clone', () => ({}))
    .answerCall('volumes.delete', () => ({}))
    .answerCall('volumes.restore', () => ({}))
    .answerCall('volumes.save', () => newest);
  arrange?.();
  stops.push(connectStores(bridge));
  const [first = '', ...rest] = at;
  route.go(first, ...rest);
  render(first === 'overview' ? OverviewScreen : TemplatesScreen);
  await waitFor(() => expect(templates.value).not.toBeNull());
}

const button = (name: string | RegExp) => screen.findByRole<HTMLButtonElement>('button', { name });

/** Returns the items of a volume's menu, opened by keyboard. */
async function menuOf(id: string): Promise<HTMLElement> {
  const more = await button(`Actions for volume ${id}`);
  more.focus();
  await fireEvent.keyDown(more, { key: 'Enter' });
  return screen.findByRole('menu');
}

async function showSaves(): Promise<HTMLElement> {
  await fireEvent.click(await button(/^\d saves? of survival\/1$/));
  return screen.findByRole('dialog', { name: 'Saves of survival/1' });
}

/** Requests the restore of a save while the service runs, and waits until the service is being stopped. */
async function beginRestore(): Promise<WindowWorld> {
  const world: WindowWorld = { volumes: [inUse()], services: [aService('survival', 1)] };
  await open(world);
  const dialog = await showSaves();
  await fireEvent.click(await within(dialog).findByRole('button', { name: 'Restore…' }));
  await fireEvent.click(await button('Stop service and restore'));
  await waitFor(() => expect(bridge.askedFor('services.stop')).toHaveLength(1));
  return world;
}

beforeEach(() => {
  volumes.value = null;
  volumes.error = null;
  templates.value = null;
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  visibility.set(true);
  for (const stop of stops.reverse()) stop();
});

describe('the Data tab of a template', () => {
  it('explains persistent paths if none are set, and links to the setting', async () => {
    await open({ templates: [aTemplate('survival')] });
    expect(await screen.findByText('Services of this template keep nothing')).toBeTruthy();
    await fireEvent.click(await button('Set persistent paths'));
    await waitFor(() =>
      expect(document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset['field']).toBe(
        'persistentPaths',
      ),
    );
  });

  it('explains that the first service creates a volume', async () => {
    await open({});
    expect(await screen.findByText('Nothing is kept yet')).toBeTruthy();
    expect(screen.getByText(/Its services keep world\*\//)).toBeTruthy();
  });

  it('is shown if the configuration lists a persistent path twice', async () => {
    const repeating = aTemplate('survival', { persistentPaths: ['world*/', 'world*/'] });
    await open({ templates: [repeating], volumes: [inUse()] });
    expect((await screen.findByText(/Services keep/)).textContent).toContain('world*/');
    expect(await screen.findByRole('grid')).toBeTruthy();
  });

  it('explains that an old master does not support volumes', async () => {
    await open(
      {},
      {
        arrange: () =>
          bridge.answerCall('volumes.list', () => {
            throw new OverworldError('UNSUPPORTED_BY_MASTER', {
              address: 'desk',
              what: 'volumes and their saves',
              master: '0.1.0',
              app: '0.2.0',
              update: 'master',
            });
          }),
      },
    );
    expect(await screen.findByText('This master does not keep data of services')).toBeTruthy();
  });

  it('lists only the volumes of this template, with size, service, node and last save', async () => {
    await open({ volumes: [inUse(), aVolume('lobby/1')], services: [aService('survival', 1)] });
    const grid = await screen.findByRole('grid', { name: 'Volumes of template survival' });
    const rows = within(grid).getAllByRole('row').slice(1);
    expect(rows).toHaveLength(1);
    for (const word of ['survival/1', 'In use', '3.0 MB', 'survival-1', 'node-1', '6 m ago'])
      expect(rows[0]?.textContent).toContain(word);
  });

  it('shows a recent loss of data, with its time and cause', async () => {
    const message = 'survival-1 lost up to 9 s of data: what was written since its last save';
    const cause = 'its node no longer exists';
    const subject = { type: 'service', id: 'survival-1' } as const;
    const event = anEvent({ at: Date.now() - 180_000, kind: 'volume.lost', subject, message, cause });
    await open({ volumes: [inUse()], events: [event] });
    const notice = (await screen.findByText(message)).closest('[role="status"]');
    expect(notice?.textContent).toContain('3 m ago, because its node no longer exists.');
    expect(bridge.askedFor('activity.list').at(-1)).toMatchObject({
      template: 'survival',
      kinds: ['volume.lost'],
    });
  });

  it('can save a volume immediately with its menu', async () => {
    await open({ volumes: [inUse()] });
    await fireEvent.click(within(await menuOf('survival/1')).getByRole('menuitem', { name: 'Save now' }));
    await waitFor(() => expect(bridge.askedFor('volumes.save')).toEqual([{ id: 'survival/1' }]));
  });

  it('shows saves to viewers, who cannot change anything', async () => {
    await open({ volumes: [inUse()], role: 'viewer', readsFiles: false });
    const menu = await menuOf('survival/1');
    for (const name of [/^Save now/, /^Clone/, /^Accept loss/, /^Delete volume/])
      expect(within(menu).getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
    await fireEvent.click(within(menu).getByRole('menuitem', { name: /^Show saves/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Saves of survival/1' });
    for (const name of ['Restore…', 'Download…'])
      expect(within(dialog).getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true);
  });
});

describe('the saves of a volume', () => {
  it('can be downloaded to a folder that the user chooses', async () => {
    const nothing = { plan: null, files: 0, bytes: 0, conflicts: [] };
    await open(
      { volumes: [inUse()] },
      { arrange: () => void bridge.answer('files.pickDownload', () => nothing) },
    );
    const dialog = await showSaves();
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Download…' }));
    const name = `${new Date(earlier.at).toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '.')}-${earlier.save.slice(0, 6)}`;
    await waitFor(() =>
      expect(bridge.askedFor('files.pickDownload')).toEqual([
        { paths: [`/volumes/survival/1/.saves/${name}`] },
      ]),
    );
    // The Files screen shows the progress.
    expect(route.address).toBe('files/volumes/survival/1/.saves');
  });

  it('are compared with the newest save, and on request with another save', async () => {
    await open({ volumes: [inUse()] });
    const dialog = await showSaves();
    expect(await within(dialog).findByText('1 file would be removed')).toBeTruthy();
    expect(bridge.askedFor('volumes.compare')).toEqual([
      { id: 'survival/1', from: newest.save, to: earlier.save },
    ]);
    const [current] = within(dialog).getAllByRole('radio');
    if (current === undefined) throw new Error('no save');
    await fireEvent.click(current);
    await fireEvent.change(within(dialog).getByLabelText('Compared with'), {
      target: { value: earlier.save },
    });
    expect(await within(dialog).findByText('1 file removed')).toBeTruthy();
    expect(bridge.askedFor('volumes.compare').at(-1)).toEqual({
      id: 'survival/1',
      from: earlier.save,
      to: newest.save,
    });
  });

  it('can be restored immediately if no service uses the volume', async () => {
    await open({ volumes: [aVolume('survival/1', { lastSave: newest, saves: 2 })] });
    const dialog = await showSaves();
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Restore…' }));
    await fireEvent.click(await button('Restore save'));
    await waitFor(() =>
      expect(bridge.askedFor('volumes.restore')).toEqual([{ id: 'survival/1', save: earlier.save }]),
    );
    expect(bridge.askedFor('services.stop')).toEqual([]);
  });

  it('are restored after the service was paused, stopped and saved, and then the service is started again', async () => {
    const world: WindowWorld = { volumes: [inUse()], services: [aService('survival', 1)] };
    await open(world);
    const dialog = await showSaves();
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Restore…' }));
    expect(await screen.findByText(/survival-1 is stopped, and its data is saved first/)).toBeTruthy();
    await fireEvent.click(await button('Stop service and restore'));
    await waitFor(() =>
      expect(bridge.askedFor('services.stop')).toEqual([{ id: 'survival-1', kill: false }]),
    );
    expect(bridge.askedFor('services.hold')).toEqual([{ id: 'survival-1', held: true }]);
    expect(bridge.askedFor('volumes.restore')).toEqual([]);
    world.volumes = [aVolume('survival/1', { lastSave: newest, saves: 3 })];
    await volumes.refresh();
    await waitFor(() => expect(bridge.askedFor('volumes.restore')).toHaveLength(1));
    await waitFor(() =>
      expect(bridge.askedFor('services.hold').at(-1)).toEqual({ id: 'survival-1', held: false }),
    );
  });

  it('are restored while the window is hidden', async () => {
    const world = await beginRestore();
    visibility.set(false);
    world.volumes = [aVolume('survival/1', { lastSave: newest, saves: 3 })];
    bridge.push('notification', { name: 'stale', params: { topics: ['volumes'] } });
    await waitFor(() => expect(bridge.askedFor('volumes.restore')).toHaveLength(1));
  });

  it('are not restored if another person resumes the automation of the service in the meantime', async () => {
    const world = await beginRestore();
    const begin = await button('Stop service and restore');
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    await waitFor(() => expect(services.get('survival-1')?.held).toBe(true));
    visibility.set(false);
    world.services = [aService('survival', 1)];
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    expect(await screen.findByText(/Another person resumed the automation of survival-1/)).toBeTruthy();
    expect(begin.disabled).toBe(false);
    visibility.set(true);
    world.volumes = [aVolume('survival/1', { lastSave: newest, saves: 3 })];
    await volumes.refresh();
    await fireEvent.click(await button('Cancel'));
    expect(bridge.askedFor('volumes.restore')).toEqual([]);
    expect(bridge.askedFor('services.hold')).toEqual([{ id: 'survival-1', held: true }]);
  });

  it('are not restored if the user closes the dialog before the service has stopped', async () => {
    const world = await beginRestore();
    expect(allUnsaved(), 'the app asks before it quits').toEqual([
      'restore of volume survival/1 (leaves the automation of survival-1 paused)',
    ]);
    await fireEvent.click(await button('Cancel'));
    await waitFor(() =>
      expect(bridge.askedFor('services.hold').at(-1)).toEqual({ id: 'survival-1', held: false }),
    );
    expect(allUnsaved()).toEqual([]);
    world.volumes = [aVolume('survival/1', { lastSave: newest, saves: 3 })];
    await volumes.refresh();
    expect(bridge.askedFor('volumes.restore')).toEqual([]);
  });

  it('are restored without a way to cancel, as the dialog says', async () => {
    let finish: () => void = () => undefined;
    const restored = new Promise<Record<string, never>>((resolve) => {
      finish = () => resolve({});
    });
    const arrange = () => void bridge.answerCall('volumes.restore', () => restored);
    await open({ volumes: [aVolume('survival/1', { lastSave: newest, saves: 2 })] }, { arrange });
    const dialog = await showSaves();
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Restore…' }));
    await fireEvent.click(await button('Restore save'));
    expect(await screen.findByText(/cannot be cancelled any more/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
    finish();
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('is restored'));
  });

  it('can be cloned to another volume, by default with the lowest unused number', async () => {
    await open({ volumes: [inUse(), aVolume('survival/2')] });
    await fireEvent.click(within(await menuOf('survival/1')).getByRole('menuitem', { name: /^Clone/ }));
    const number = await screen.findByLabelText<HTMLInputElement>('Number');
    expect(number.value).toBe('3');
    await fireEvent.input(number, { target: { value: '2' } });
    expect(await screen.findByText(/Volume survival\/2 exists already/)).toBeTruthy();
    expect((await button('Clone volume')).disabled).toBe(true);
    await fireEvent.input(number, { target: { value: '7' } });
    await fireEvent.click(await button('Clone volume'));
    await waitFor(() =>
      expect(bridge.askedFor('volumes.clone')).toEqual([{ from: 'survival/1', to: 'survival/7' }]),
    );
  });
});

describe('the unsaved data of a volume on a lost node', () => {
  const lost = (): WindowWorld => ({
    volumes: [inUse()],
    nodes: [aNode('node-1', { state: 'LOST' })],
    services: [aService('survival', 1)],
  });

  it('can be declared as lost after the user has typed the name of the volume', async () => {
    await open(lost());
    await fireEvent.click(await button('Accept loss…'));
    const confirm = await button('Accept loss');
    expect(await screen.findByText(/is lost: up to \d+ min/)).toBeTruthy();
    expect(confirm.disabled).toBe(true);
    await fireEvent.input(screen.getByLabelText('Type survival/1 to confirm'), {
      target: { value: 'survival/1' },
    });
    await fireEvent.click(confirm);
    await waitFor(() =>
      expect(bridge.askedFor('volumes.attach')).toEqual([{ id: 'survival/1', acceptLoss: true }]),
    );
    await waitFor(() =>
      expect(toasts.list.map(({ text }) => text)).toContain(
        'survival-1 starts from its last save. Lost: up to 6 min 20 s',
      ),
    );
  });

  it('is shown as a problem on the Overview screen, with a link to the Data tab', async () => {
    await open(lost(), { at: ['overview'] });
    expect((await screen.findByText('On a lost node')).textContent).toContain('On a lost node');
    await fireEvent.click(await button('Show data'));
    expect(route.parts).toEqual(['templates', 'survival', 'data']);
  });
});

describe('the volumes of a deleted template', () => {
  it('are listed above the templates, and on a page of their own', async () => {
    await open({ volumes: [aVolume('old/1'), aVolume('survival/1')] }, { at: ['templates'] });
    const notice = (await screen.findByText('Data of deleted templates is kept')).parentElement;
    if (notice === null) throw new Error('no notice');
    expect(
      within(notice)
        .getAllByRole('link')
        .map(({ textContent }) => textContent),
    ).toEqual(['old']);
    route.go('templates', 'old', 'data');
    expect(await screen.findByRole('grid', { name: 'Volumes of template old' })).toBeTruthy();
    expect(screen.getByText(/This template was deleted/)).toBeTruthy();
  });

  it('can be deleted after the user has typed the name of the volume', async () => {
    await open({ volumes: [aVolume('old/1')] }, { at: ['templates', 'old', 'data'] });
    await fireEvent.click(within(await menuOf('old/1')).getByRole('menuitem', { name: /^Delete volume/ }));
    await fireEvent.input(await screen.findByLabelText('Type old/1 to confirm'), {
      target: { value: 'old/1' },
    });
    await fireEvent.click(await button('Delete volume'));
    await waitFor(() => expect(bridge.askedFor('volumes.delete')).toEqual([{ id: 'old/1' }]));
  });
});
