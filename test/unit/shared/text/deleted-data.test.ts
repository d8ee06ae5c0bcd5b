import { describe, expect, it } from 'vitest';
import { deletedData, deletedDataWords } from '#shared/text/deleted-data.ts';

describe('the words about the data of services that end', () => {
  it('name what is deleted and what is kept', () => {
    expect(deletedDataWords({ count: 1 })).toBe(
      'Everything it wrote is deleted, such as worlds and plugin data. Only its newest crash reports and logs are kept.',
    );
    expect(deletedData({ count: 3 })?.kept).toBe('Only their newest crash reports and logs are kept.');
  });

  it('promise nothing for a node that cannot be reached', () => {
    expect(deletedDataWords({ count: 2, lost: true })).toBe(
      'Everything they wrote is lost, such as worlds and plugin data. Not even their crash reports and logs can be kept.',
    );
  });

  it('are empty for services that were never started', () => {
    expect(deletedData({ count: 0 })).toBeNull();
    expect(deletedDataWords({ count: 0 })).toBe('');
  });
});
