import { fireEvent, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeRefusal, copyRefusal, putRefusal } from '#renderer/screens/files/access.ts';
import { captionOf } from '#renderer/screens/files/captions.ts';
import { fileSearch } from '#renderer/screens/files/search/search.svelte.ts';
import { earlierSavesOf, isWritable, viewAt } from '#renderer/screens/files/paths.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { anEntry } from '#test/support/app/models.ts';
import { FilesWorld, REMOTE, rowOf } from './files-world.ts';

const facts = { connected: true, role: 'owner', readsFiles: true, limit: null } as const;

describe('paths of services and volumes', () => {
  it.each([
    ['/services', 'services'],
    ['/services/lobby-1/../lobby-2/world', 'services'],
    ['/volumes/survival/1', 'volumes'],
    ['/templates/services', null],
    ['/files/volumes/1', null],
    ['/services2', null],
    ['/', null],
  ])('%s belongs to: %s', (path, view) => {
    expect(viewAt(path)).toBe(view);
    if (view !== null) expect(isWritable(path)).toBe(false);
  });

  it('are read-only for everyone, and the reason says so', () => {
    const inService = [anEntry('/services/lobby-1/world', { kind: 'folder' })];
    const inVolume = [anEntry('/volumes/survival/1/world', { kind: 'folder' })];
    expect(putRefusal('/services/lobby-1', facts)).toContain('copy the files to the template');
    expect(putRefusal('/volumes/survival/1', facts)).toContain('import the changed copy');
    expect(changeRefusal(inService, facts)).toBe(putRefusal('/services', facts));
    expect(changeRefusal([anEntry('/templates/lobby/a'), ...inVolume], facts)).toBe(
      putRefusal('/volumes', facts),
    );
    expect(copyRefusal(inService)).toContain('Download them');
    expect(copyRefusal([anEntry('/templates/lobby/a')])).toBeUndefined();
  });

  it('have earlier saves in the folder of a volume', () => {
    expect(earlierSavesOf('/volumes/survival/1/')).toBe('/volumes/survival/1/.saves');
    for (const path of ['/volumes/survival', '/volumes/survival/1/world', '/services/1/1'])
      expect(earlierSavesOf(path)).toBeNull();
  });

  it('are described in the root folder', () => {
    for (const path of ['/services', '/volumes'])
      expect(captionOf('remote', anEntry(path, { kind: 'folder' }))).toContain('read-only');
  });
});

describe('the Files screen in a folder of a service or volume', () => {
  let world: FilesWorld;
  beforeEach(() => {
    world = new FilesWorld();
    world.remote['/services'] = [anEntry('/services/lobby-1', { kind: 'folder' })];
    world.remote['/services/lobby-1'] = [anEntry('/services/lobby-1/latest.log')];
    world.remote['/volumes'] = [];
    world.remote['/volumes/survival/1'] = [anEntry('/volumes/survival/1/world', { kind: 'folder' })];
    world.remote['/volumes/survival/1/.saves'] = [];
  });
  afterEach(() => world.close());

  it('offers no change, and says why', async () => {
    await world.open('/services/lobby-1');
    const list = await screen.findByRole('grid', REMOTE);
    expect(await screen.findByText(/^Files of running services are read-only here/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Upload' })).toHaveProperty('disabled', true);
    expect(screen.queryByRole('button', { name: 'Earlier saves' })).toBeNull();
    await fireEvent.click(rowOf(list, 'latest.log'));
    list.focus();
    for (const key of ['F2', 'Delete']) await fireEvent.keyDown(list, { key });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(within(list).queryByRole('textbox')).toBeNull();
  });

  it('leads from a volume to its earlier saves', async () => {
    await world.open('/volumes/survival/1');
    await fireEvent.click(await screen.findByRole('button', { name: 'Earlier saves' }));
    expect(route.address).toBe('files/volumes/survival/1/.saves');
    expect(await screen.findByText('This folder is empty')).toBeTruthy();
  });

  it('says what belongs into an empty view, and searches elsewhere', async () => {
    await world.open('/volumes');
    expect(await screen.findByText('No volumes yet')).toBeTruthy();
    await fireEvent.keyDown(window, { key: 'F', ctrlKey: true, shiftKey: true });
    await screen.findByRole('heading', { name: 'Search files' });
    expect(fileSearch.folder).toBe('/');
  });
});
