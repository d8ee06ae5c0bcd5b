import { request } from '../protocol/protocol.ts';
import type { RequestHandler } from '../session.ts';
import { lstat, setstat, stat } from './attributes.ts';
import { extended } from './extended.ts';
import { close, fsetstat, fstat, open, read, write } from './files.ts';
import { mkdir, opendir, readdir, rmdir } from './folders.ts';
import { readlink, realpath, remove, rename, symlink } from './names.ts';

/** Handler of each request type. */
export const requestHandlers: ReadonlyMap<number, RequestHandler> = new Map([
  [request.OPEN, open],
  [request.CLOSE, close],
  [request.READ, read],
  [request.WRITE, write],
  [request.LSTAT, lstat],
  [request.FSTAT, fstat],
  [request.SETSTAT, setstat],
  [request.FSETSTAT, fsetstat],
  [request.OPENDIR, opendir],
  [request.READDIR, readdir],
  [request.REMOVE, remove],
  [request.MKDIR, mkdir],
  [request.RMDIR, rmdir],
  [request.REALPATH, realpath],
  [request.STAT, stat],
  [request.RENAME, rename],
  [request.READLINK, readlink],
  [request.SYMLINK, symlink],
  [request.EXTENDED, extended],
]);
