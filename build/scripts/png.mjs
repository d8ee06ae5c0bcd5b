import { readFileSync } from 'node:fs';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Returns whether a file is a complete PNG: starts with its signature and ends with its last chunk (RFC 2083, 3.1
 * and 4.1.4).
 *
 * @param {string} file
 */
export function isPng(file) {
  try {
    const data = readFileSync(file);
    return (
      data.subarray(0, signature.length).equals(signature) &&
      data.subarray(-8, -4).toString('latin1') === 'IEND'
    );
  } catch {
    return false;
  }
}
