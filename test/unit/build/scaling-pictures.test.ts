import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { scalingPictures } from '../../../build/scripts/pictures/pictures.ts';

describe('the pictures that the simulator generates', () => {
  it('are up to date (npx tsx build/scripts/scaling-pictures.ts)', { timeout: 60_000 }, async () => {
    for (const [path, svg] of scalingPictures()) {
      const found = await readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
      expect(found === svg, path).toBe(true);
      expect(svg, path).toMatch(/<title id="title">.+<\/title>\n<desc id="desc">.+<\/desc>/);
      expect(svg, path).not.toMatch(/NaN|undefined|Infinity/);
      expect(svg.length, path).toBeLessThan(60_000);
    }
  });
});
