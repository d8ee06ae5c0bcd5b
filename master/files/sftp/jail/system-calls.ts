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
 * System calls in the thread pool that use file descriptors instead of FileHandles. With thousands of small files,
 * such calls take most of the time, and a call through `node:fs/promises` takes twice as long.
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
