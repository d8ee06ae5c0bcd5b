import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** A picture of opaque pixels, row by row, three bytes each: red, green, blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** A picture of at most 256 colours: one byte per pixel, an index into `palette` (three bytes per colour). */
export interface IndexedPicture {
  readonly width: number;
  readonly height: number;
  readonly palette: Uint8Array;
  readonly indexes: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples per pixel by colour type (RFC 2083, 4.1.1). */
const SAMPLES: Readonly<Record<number, number>> = { 2: 3, 3: 1, 6: 4 };

/**
 * Reads a PNG with 8 bits per sample and without interlacing, as Chromium and {@link encodePng} write it. Ignores
 * transparency.
 *
 * @throws Error for any other file
 */
export function decodePng(file: Buffer): Picture {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('the file is not a PNG');
  const chunks = readChunks(file);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  const samples = SAMPLES[header?.[9] ?? -1];
  if (header?.[8] !== 8 || header[12] !== 0 || samples === undefined) {
    throw new Error('the PNG is interlaced, gray, or has not 8 bits a sample');
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const data = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((one) => one.data)),
  );
  const pixels = unfilter(data, { lineBytes: width * samples, samples, height });
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data;
  const rgb = new Uint8Array(width * height * 3);
  const source = palette ?? pixels;
  for (let at = 0; at < width * height; at += 1) {
    const from = palette === undefined ? at * samples : (pixels[at] ?? 0) * 3;
    rgb.set(source.subarray(from, from + 3), at * 3);
  }
  return { width, height, rgb };
}

/**
 * Writes a PNG with a palette. Lines are not filtered, because neighbouring palette indexes are unrelated (RFC
 * 2083, 9.6).
 */
export function encodePng({ width, height, palette, indexes }: IndexedPicture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    lines.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return Buffer.concat([
    SIGNATURE,
    toChunk('IHDR', header),
    toChunk('PLTE', palette),
    toChunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}

function toChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

function readChunks(file: Buffer): readonly { readonly type: string; readonly data: Buffer }[] {
  const chunks = [];
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: file.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** Reverses the filter of each line (RFC 2083, 6). */
function unfilter(
  data: Buffer,
  { lineBytes, samples, height }: { lineBytes: number; samples: number; height: number },
): Uint8Array {
  const out = new Uint8Array(lineBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (lineBytes + 1)] ?? 0;
    for (let x = 0; x < lineBytes; x += 1) {
      const at = y * lineBytes + x;
      const left = x < samples ? 0 : (out[at - samples] ?? 0);
      const up = y === 0 ? 0 : (out[at - lineBytes] ?? 0);
      const corner = x < samples || y === 0 ? 0 : (out[at - lineBytes - samples] ?? 0);
      out[at] = (data[y * (lineBytes + 1) + 1 + x] ?? 0) + predict(filter, { left, up, corner });
    }
  }
  return out;
}

function predict(filter: number, { left, up, corner }: { left: number; up: number; corner: number }): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
