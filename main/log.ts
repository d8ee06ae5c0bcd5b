import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { RotatingFile } from './rotating-file.ts';

export type Log = Logger;

/** The app's own log: JSON lines in `<folder>/app.log`, bounded. Keys and tokens are never passed to it. */
export function createLog(folder: string): Log {
  const file = new RotatingFile(join(folder, 'app.log'));
  return pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, file);
}
