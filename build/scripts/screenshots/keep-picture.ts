import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { quantize } from './palette.ts';
import { decodePng, encodePng, type Picture } from './png-file.ts';

/**
 * Maximum share of differing pixels at which a picture counts as unchanged. Times, addresses and the sequence of events
 * cause up to 0.9 % between two runs. A renamed button causes less than this limit, so name its picture on the command
 * line.
 */
const SAME_PART = 0.0125;
/** Minimum difference in one colour channel that counts as visible. Quantization causes smaller differences. */
const SEEN = 24;

/**
 * Writes a picture as a PNG with a palette, unless the file already shows the same picture.
 *
 * @param png as Chromium makes it
 * @param always whether to write an unchanged picture, too
 * @returns whether the file was written
 */
export function keepPicture(file: string, png: Buffer, { always = false } = {}): boolean {
  const picture = decodePng(png);
  if (!always && existsSync(file) && differingPart(decodePng(readFileSync(file)), picture) <= SAME_PART) {
    return false;
  }
  writeFileSync(file, encodePng(quantize(picture)));
  return true;
}

/** Returns the share of visibly different pixels, 0–1; 1 for pictures of different sizes. */
export function differingPart(a: Picture, b: Picture): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let at = 0; at < a.rgb.length; at += 3) {
    if (
      [0, 1, 2].some((channel) => Math.abs((a.rgb[at + channel] ?? 0) - (b.rgb[at + channel] ?? 0)) > SEEN)
    ) {
      differing += 1;
    }
  }
  return differing / (a.width * a.height);
}
