import { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Checks that root runs this command.
 *
 * @param command name of the command, such as `install`
 * @throws OverworldError ROOT_NEEDED
 */
export function requireRoot(command: string): void {
  if (process.getuid?.() !== 0) throw new OverworldError('ROOT_NEEDED', { command });
}
