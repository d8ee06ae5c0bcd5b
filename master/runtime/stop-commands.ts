import type { ServiceSpec } from './runtime.ts';

const GAME_STOP_COMMANDS = ['stop'];

/**
 * Console commands that stop a proxy. BungeeCord exits on `end`, and Velocity exits on `end` and on `stop`. `stop` is
 * also needed for a game server whose template is marked as a proxy. This mark is the specification's default.
 * Without `stop`, such a server would use up its whole grace period. An unknown command has no effect except for a
 * line in the service's log.
 */
const PROXY_STOP_COMMANDS = ['end', 'stop'];

/** Returns the console commands that make a service save and exit. */
export function stopCommandsOf({ isProxy }: Pick<ServiceSpec, 'isProxy'>): readonly string[] {
  return isProxy ? PROXY_STOP_COMMANDS : GAME_STOP_COMMANDS;
}
