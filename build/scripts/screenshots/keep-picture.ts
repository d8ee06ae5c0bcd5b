import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { quantize } from './palette.ts';
import { decodePng, encodePng, type Picture } from './png-file.ts';

/**
 * A picture in which no more than this part of all pixels differs is the same: times, addresses and the order of events
 * made up to 0.9 % between two runs. A renamed button makes less: name its picture on the command line.
 */
const SAME_PART = 0.0125;
/** A difference in one channel that is seen; quantizing makes smaller ones. */
const SEEN = 24;

/**
 * Writes a picture with a palette, unless the file shows the same already.
 *
 * @param png as Chromium makes it
 * @param always also writes a picture that is the same
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

/** Part of the pixels that a person sees to be different, 0–1; 1 for pictures of different sizes. */
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
