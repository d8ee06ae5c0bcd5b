import { describe, expect, it } from 'vitest';
import { deletedData, deletedDataWords, persistentCount } from '#shared/text/deleted-data.ts';

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

  it('are empty for services that have never started', () => {
    expect(deletedData({ count: 0 })).toBeNull();
    expect(deletedDataWords({ count: 0 })).toBe('');
  });
});
