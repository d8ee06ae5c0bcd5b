import type { ServiceSpec } from './runtime.ts';

const GAME_STOP_COMMANDS = ['stop'];

/**
 * BungeeCord ends by `end`, Velocity by either; `stop` follows for a game server whose template says it is a proxy
 * (the specification's default): it would otherwise wait out its whole time to save. What does not know a word only
 * says so in its log.
 */
const PROXY_STOP_COMMANDS = ['end', 'stop'];

/** What to write on a service's console so that it saves and ends by itself. */
export function stopCommandsOf({ isProxy }: Pick<ServiceSpec, 'isProxy'>): readonly string[] {
  return isProxy ? PROXY_STOP_COMMANDS : GAME_STOP_COMMANDS;
}
