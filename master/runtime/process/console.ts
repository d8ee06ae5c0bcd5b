import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';

/**
 * Writes one or more lines to a service's console pipe without blocking. Lines of the admin API (1,000 characters)
 * are shorter than PIPE_BUF, so lines of two writers are never mixed.
 *
 * @throws OverworldError SERVICE_NOT_FOUND if no process reads the pipe, CONSOLE_BLOCKED if the pipe (64 KiB) is
 *   full
 */
export async function writeConsole(id: ServiceId, path: string, line: string): Promise<void> {
  try {
    const pipe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      // If a regular file were in place of the pipe, it would grow unnoticed.
      if (!(await pipe.stat()).isFIFO()) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
      await pipe.write(`${line}\n`);
    } finally {
      await pipe.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENXIO' || code === 'ENOENT' || code === 'EPIPE') {
      throw new OverworldError('SERVICE_NOT_FOUND', { service: id }, error);
    }
    if (code === 'EAGAIN') throw new OverworldError('CONSOLE_BLOCKED', { service: id }, error);
    throw error;
  }
}
