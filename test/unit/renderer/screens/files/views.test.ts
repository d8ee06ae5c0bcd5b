import { fireEvent, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeRefusal, copyRefusal, copyTargetRefusal, putRefusal } from '#renderer/screens/files/access.ts';
import { captionOf } from '#renderer/screens/files/captions.ts';
import { fileSearch } from '#renderer/screens/files/search/search.svelte.ts';
import { earlierSavesOf, isWritable, viewAt } from '#renderer/screens/files/paths.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { volumes } from '#renderer/stores/volumes.svelte.ts';
import { anEntry, aVolume } from '#test/support/app/models.ts';
import { FilesWorld, REMOTE, rowOf } from './files-world.ts';

const facts = { connected: true, role: 'owner', readsFiles: true, limit: null } as const;

describe('the paths of services and volumes', () => {
  it.each([
    ['/services', 'services'],
    ['/services/lobby-1/../lobby-2/world', 'services'],
    ['/volumes/survival/1', 'volumes'],
    ['/templates/services', null],
    ['/files/volumes/1', null],
    ['/services2', null],
    ['/', null],
  ])('are recognised: %s is a path of %s', (path, view) => {
    expect(viewAt(path)).toBe(view);
    if (view === 'services') expect(isWritable(path)).toBe(false);
  });

  const inService = [anEntry('/services/lobby-1/world', { kind: 'folder' })];
  const inVolume = [anEntry('/volumes/survival/1/world', { kind: 'folder' })];

  it('are read-only in services and earlier saves, even for owners, and the reason is shown', () => {
    expect(putRefusal('/services/lobby-1', facts)).toContain('copy the files to the template');
    expect(changeRefusal(inService, facts)).toBe(putRefusal('/services', facts));
    for (const path of [
      '/volumes',
      '/volumes/survival',
      '/volumes/survival/1/.saves/2026-11-28_12.00.00/world',
    ]) {
      expect(isWritable(path)).toBe(false);
      expect(putRefusal(path, facts)).toContain('Earlier saves are read-only');
    }
    for (const entries of [inService, inVolume]) expect(copyRefusal(entries)).toContain('Download them');
    expect(copyRefusal([anEntry('/templates/lobby/a')])).toBeUndefined();
    expect(copyTargetRefusal('/volumes/survival/1')).toContain('Upload them');
    expect(copyTargetRefusal('/templates/lobby')).toBeUndefined();
  });

  it('can be changed in a volume that no service uses, if the key may change files there', () => {
    expect(putRefusal('/volumes/survival/1', facts)).toBeUndefined();
    expect(changeRefusal(inVolume, facts)).toBeUndefined();
    expect(putRefusal('/volumes/survival/1', { ...facts, role: 'viewer' })).toContain('role viewer');
    expect(putRefusal('/volumes/survival/1', { ...facts, limit: ['lobby'] })).toContain(
      'only for the template lobby',
    );
    expect(changeRefusal([anEntry('/volumes/survival/1', { kind: 'folder' })], facts)).toContain('tab Data');
    volumes.value = [
      aVolume('survival/1', { attached: { service: 'survival-1', node: 'node-1', since: 1, savedAt: null } }),
    ];
    for (const refusal of [putRefusal('/volumes/survival/1', facts), changeRefusal(inVolume, facts)])
      expect(refusal).toMatch(/^The service survival-1 uses this volume/);
    expect(putRefusal('/volumes/survival/2', facts)).toBeUndefined();
    volumes.value = null;
  });

  it('lead from a volume to its earlier saves', () => {
    expect(earlierSavesOf('/volumes/survival/1/')).toBe('/volumes/survival/1/.saves');
    for (const path of ['/volumes/survival', '/volumes/survival/1/world', '/services/1/1'])
      expect(earlierSavesOf(path)).toBeNull();
  });

  it('have descriptions in the root folder', () => {
    expect(captionOf('remote', anEntry('/services', { kind: 'folder' }))).toContain('read-only');
    expect(captionOf('remote', anEntry('/volumes', { kind: 'folder' }))).toBe('saved data of services');
  });
});

describe('the Files screen in the folder of a service or volume', () => {
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

  it('offers no actions that change files, and explains why', async () => {
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

  it('offers actions that change files if no service uses the volume', async () => {
    await world.open('/volumes/survival/1');
    expect(await screen.findByText('The files with which survival-1 starts next')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Upload' })).toHaveProperty('disabled', false);
  });

  it('links from a volume to its earlier saves', async () => {
    await world.open('/volumes/survival/1');
    await fireEvent.click(await screen.findByRole('button', { name: 'Earlier saves' }));
    expect(route.address).toBe('files/volumes/survival/1/.saves');
    expect(await screen.findByText('This folder is empty')).toBeTruthy();
  });

  it('explains an empty folder of volumes, and searches from the root folder', async () => {
    await world.open('/volumes');
    expect(await screen.findByText('No volumes yet')).toBeTruthy();
    await fireEvent.keyDown(window, { key: 'F', ctrlKey: true, shiftKey: true });
    await screen.findByRole('heading', { name: 'Search files' });
    expect(fileSearch.folder).toBe('/');
  });
});
