import { describe, expect, it } from 'vitest';
import { deletedData, deletedDataWords, persistentCount } from '#shared/text/deleted-data.ts';
import { unsavableServices } from '#shared/text/unsavable.ts';

describe('deletedDataWords (describes which data is deleted with services)', () => {
  it('name the deleted data and the data that is kept', () => {
    expect(deletedDataWords({ count: 1 })).toBe(
      'Everything it wrote is deleted, such as worlds and plugin data. Only its newest crash reports and logs are kept.',
    );
    expect(deletedData({ count: 3 })?.kept).toBe('Only their newest crash reports and logs are kept.');
  });

  it('do not say that data is kept if the node cannot be reached', () => {
    expect(deletedDataWords({ count: 2, lost: true })).toBe(
      'Everything they wrote is lost, such as worlds and plugin data. Not even their crash reports and logs can be kept.',
    );
  });

  it('name the data that is saved first if templates have persistent paths', () => {
    expect(deletedData({ count: 1, persistent: 1 })?.deleted).toBe(
      'The files at its persistent paths are saved first. Everything else it wrote is deleted.',
    );
    expect(deletedData({ count: 3, persistent: 2 })?.deleted).toBe(
      'For 2 of them, the files at persistent paths are saved first. Everything else they wrote is deleted.',
    );
    expect(deletedData({ count: 1, persistent: null })?.deleted).toBe(
      'Everything it wrote outside of persistent paths is deleted, such as plugin data.',
    );
    expect(deletedData({ count: 2, persistent: 2, lost: true })?.deleted).toBe(
      'Everything they wrote is lost, except for the saves of their persistent paths.',
    );
  });

  it('contain the number of services whose templates have persistent paths', () => {
    const templates = [
      { id: 'survival', config: { persistentPaths: ['world*/'] } },
      { id: 'lobby', config: { persistentPaths: [] } },
    ];
    expect(persistentCount(['survival-1', 'lobby-1', 'survival-2', 'deleted-1'], templates)).toBe(2);
  });

  it('say that data cannot be saved now, and why, instead of promising a save', () => {
    const unsavable = [{ service: 'survival-1', why: 'Raise the quota.' }];
    expect(deletedDataWords({ count: 1, persistent: 1, unsavable })).toBe(
      'survival-1 cannot be saved now. Raise the quota. Until it can be saved, its files stay on its node, and it does not start again. After that, everything else it wrote is deleted.',
    );
    expect(deletedData({ count: 3, persistent: 2, unsavable })).toEqual({
      deleted:
        'survival-1 cannot be saved now. For 1 of the other services, the files at persistent paths are saved first. Everything else they wrote is deleted.',
      reasons: ['Raise the quota.'],
      kept: 'survival-1: Until it can be saved, its files stay on its node, and it does not start again. After that, everything else it wrote is deleted.',
    });
    const all = ['1', '2', '3', '4'].map((n) => ({ service: `survival-${n}`, why: 'The disk is full.' }));
    expect(deletedDataWords({ count: 4, persistent: 4, unsavable: all })).toBe(
      'survival-1, survival-2, survival-3 and 1 more cannot be saved now. The disk is full. Until they can be saved, their files stay on their nodes, and they do not start again. After that, everything else they wrote is deleted.',
    );
    // A node that cannot be reached saves nothing, whether or not the last save failed.
    expect(deletedDataWords({ count: 1, persistent: 1, unsavable, lost: true })).not.toContain('saved now');
  });

  it('name only services that are about to end and cannot be saved', () => {
    const volumes = [
      { id: 'survival/1', problem: 'Raise the quota.' },
      { id: 'survival/2', problem: null },
      { id: 'build/1', problem: 'Raise the quota.' },
    ];
    expect(unsavableServices(['survival-1', 'survival-2', 'lobby-1'], volumes)).toEqual([
      { service: 'survival-1', why: 'Raise the quota.' },
    ]);
  });

  it('are empty for services that have never started', () => {
    expect(deletedData({ count: 0 })).toBeNull();
    expect(deletedDataWords({ count: 0 })).toBe('');
  });
});
