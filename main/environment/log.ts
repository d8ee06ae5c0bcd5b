import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { RotatingFile } from './rotating-file.ts';

export type Log = Logger;

/**
 * Creates the app's log: JSON lines in `<folder>/app.log`. At 2 MiB the file is renamed to `app.log.1`, which
 * replaces the previous `app.log.1`. Lines that cannot be written are dropped, so logging never throws. Nothing is
 * masked, so callers must not log keys or tokens.
 */
export function createLog(folder: string): Log {
  const file = new RotatingFile(join(folder, 'app.log'));
  return pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, file);
}
