import {
  close,
  fchmod,
  fsync,
  ftruncate,
  futimes,
  lstat,
  open,
  read,
  rename,
  unlink,
  write,
  writev,
} from 'node:fs';
import { promisify } from 'node:util';

/**
 * System calls that go through the thread pool, with bare numbers in place of FileHandles: for thousands of small files
 * these calls are the cost, and the promises of `node:fs/promises` take twice as long for each.
 */
export const system = {
  open: promisify(open),
  read: promisify(read),
  write: promisify(write),
  writev: promisify(writev),
  truncate: promisify(ftruncate),
  chmod: promisify(fchmod),
  setTimes: promisify(futimes),
  sync: promisify(fsync),
  close: promisify(close),
  lstat: promisify(lstat),
  move: promisify(rename),
  remove: promisify(unlink),
};
