import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMapRows } from '#renderer/view/ram-map.ts';

describe('toMapRows (computes the areas of the services in the RAM map)', () => {
  it('gives each service an area in proportion to its RAM, in order', () => {
    const items = fc
      .array(fc.integer({ min: 1, max: 65_536 }), { minLength: 1, maxLength: 200 })
      .map((sizes) => sizes.map((size, i) => ({ id: `lobby-${i}`, size })));
    fc.assert(
      fc.property(items, (all) => {
        const rows = toMapRows(all);
        const total = all.reduce((sum, { size }) => sum + size, 0);
        expect(rows.flatMap(({ blocks }) => blocks.map(({ id }) => id))).toEqual(all.map(({ id }) => id));
        expect(rows.length).toBeLessThanOrEqual(8);
        expect(rows.reduce((sum, { height }) => sum + height, 0)).toBeCloseTo(1, 9);
        for (const { height, blocks } of rows) {
          expect(blocks.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1, 9);
          for (const { id, width } of blocks) {
            const { size } = all.find((item) => item.id === id) ?? { size: 0 };
            expect(width * height).toBeCloseTo(size / total, 9);
          }
        }
      }),
    );
  });

  it('returns no rows if there are no services', () => {
    expect(toMapRows([])).toEqual([]);
  });
});
