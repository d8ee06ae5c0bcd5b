import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../../../build/scripts/paths.mjs';
import { differingPart, keepPicture } from '../../../build/scripts/screenshots/keep-picture.ts';
import { picturesOfPages } from '../../../build/scripts/screenshots/pages.ts';
import { quantize } from '../../../build/scripts/screenshots/palette.ts';
import { decodePng, encodePng, type Picture } from '../../../build/scripts/screenshots/png-file.ts';

const WIDTH = 64;
const HEIGHT = 48;

/** Creates a picture from its pixels. */
function aPicture(colorAt: (x: number, y: number) => readonly [number, number, number]): Picture {
  const rgb = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) rgb.set(colorAt(x, y), (y * WIDTH + x) * 3);
  }
  return { width: WIDTH, height: HEIGHT, rgb };
}

/** This picture has more than 256 colours. */
const colorful = aPicture((x, y) => [x * 4, y * 5, (x + y) * 2]);
const plain = aPicture((x) => (x < 20 ? [250, 250, 250] : [20, 30, 40]));

/** Encodes the picture as other programs may do: as RGBA, with different filters for the lines (RFC 2083, 6). */
function asRgba({ width, height, rgb }: Picture): Buffer {
  const line = width * 4;
  const raw = new Uint8Array(line * height);
  for (let at = 0; at < width * height; at += 1) raw.set([...rgb.subarray(at * 3, at * 3 + 3), 255], at * 4);
  const lines = Buffer.alloc((line + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const filter = y % 5;
    lines[y * (line + 1)] = filter;
    for (let x = 0; x < line; x += 1) {
      const left = x < 4 ? 0 : (raw[y * line + x - 4] ?? 0);
      const up = y === 0 ? 0 : (raw[(y - 1) * line + x] ?? 0);
      const corner = x < 4 || y === 0 ? 0 : (raw[(y - 1) * line + x - 4] ?? 0);
      const guess = left + up - corner;
      const [nearest = 0] = [left, up, corner].sort((a, b) => Math.abs(guess - a) - Math.abs(guess - b));
      const predicted = [0, left, up, (left + up) >> 1, nearest][filter] ?? 0;
      lines[y * (line + 1) + 1 + x] = ((raw[y * line + x] ?? 0) - predicted) & 0xff;
    }
  }
  // Start with the chunks of Overworld's own encoder, and replace the header.
  const ours = encodePng({
    width,
    height,
    palette: new Uint8Array(3),
    indexes: new Uint8Array(width * height),
  });
  const header = Buffer.from(ours.subarray(0, 33));
  header[25] = 6;
  const data = deflateSync(lines);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([header, length, Buffer.from('IDAT'), data, Buffer.alloc(4), ours.subarray(-12)]);
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'overworld-picture-'));
  folders.push(folder);
  return join(folder, 'picture.png');
}

describe('a screenshot as a PNG file with a colour palette', () => {
  it('has the same pixels after it was written and read, if it has few colours', () => {
    expect(decodePng(encodePng(quantize(plain)))).toEqual(plain);
  });

  it('is reduced to at most 256 colours that are close to the original colours', () => {
    const { palette } = quantize(colorful);
    expect(palette.length / 3).toBe(256);
    expect(differingPart(decodePng(encodePng(quantize(colorful))), colorful)).toBe(0);
  });

  it('can be read from an RGBA file with any PNG filter', () => {
    expect(decodePng(asRgba(colorful))).toEqual(colorful);
  });

  it('cannot be read from a file that is not a PNG', () => {
    expect(() => decodePng(Buffer.from('GIF89a'))).toThrow('not a PNG');
  });
});

describe('keepPicture (replaces a screenshot if it has changed)', () => {
  it('keeps the old file if only a few pixels have changed', () => {
    const file = aFile();
    expect(keepPicture(file, asRgba(colorful))).toBe(true);
    const before = readFileSync(file);
    const clockWentOn = { ...colorful, rgb: colorful.rgb.slice() };
    clockWentOn.rgb.set([255, 255, 255], 0);
    expect(keepPicture(file, asRgba(clockWentOn))).toBe(false);
    expect(readFileSync(file)).toEqual(before);
    expect(keepPicture(file, asRgba(clockWentOn), { always: true })).toBe(true);
  });

  it('replaces the old file if a whole area or the size has changed', () => {
    const file = aFile();
    writeFileSync(file, encodePng(quantize(plain)));
    const changed = aPicture((x, y) => (x < 20 && y > 4 ? [250, 250, 250] : [20, 30, 40]));
    expect(keepPicture(file, asRgba(changed))).toBe(true);
    expect(differingPart({ ...plain, width: 32, height: 96 }, plain)).toBe(1);
  });
});

describe('the folder docs/screenshots', () => {
  it('contains exactly the pictures that the documentation uses', () => {
    expect(readdirSync(join(root, 'docs', 'screenshots')).sort()).toEqual([...picturesOfPages()].sort());
  });
});
