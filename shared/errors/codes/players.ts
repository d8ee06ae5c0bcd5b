import { code } from '../code.ts';

/** Errors of the player entry: load balancer, plugin link and players. */
export const playerCodes = {
  PLAYER_NOT_FOUND: code<{ player: string }>(
    'user',
    ({ player }) => `The player ${player} is not on this network.`,
  ),
  PLAYER_AMBIGUOUS: code<{ player: string; players: string }>(
    'user',
    ({ player, players }) => `Several players are named ${player}: ${players}. Use the UUID of one of them.`,
  ),
  PLAYER_UNREACHABLE: code<{ player: string; proxy: string }>(
    'transient',
    ({ player, proxy }) =>
      `The player ${player} is on ${proxy}, whose plugin is not linked to the master. Try again once it is linked.`,
    true,
  ),
  SERVICE_NOT_JOINABLE: code<{ service: string; why: string }>(
    'user',
    ({ service, why }) =>
      `Players cannot be sent to ${service}: ${why}. Choose a game server that is running.`,
  ),
  IN_GAME_STOP_OFF: code<{ setting: string }>(
    'user',
    ({ setting }) =>
      `Services cannot be stopped in game on this network. An owner can allow it with the setting ${setting}.`,
  ),
  IN_GAME_STOP_LIMIT: code<{ proxy: string; limit: number; seconds: number }>(
    'transient',
    ({ proxy, limit, seconds }) =>
      `The proxy ${proxy} has asked to stop ${limit} services within a minute, which is its limit. Try again in ${seconds} s, or stop the service in the app.`,
    true,
  ),
  LINK_ADDRESS_FOREIGN: code<{ address: string; own: string }>(
    'config',
    ({ address, own }) =>
      `Plugins cannot reach the master: communication.hostname is ${address}, which is not an address of this machine (its addresses: ${own}). Set one of these in the master configuration and restart the master.`,
  ),
  LINK_LISTEN_FAILED: code<{ address: string; why: string }>(
    'config',
    ({ address, why }) =>
      `Plugins cannot reach the master: it cannot listen on ${address}: ${why}. Stop the program that uses the port, or set another communication.port and restart the master.`,
  ),
  PLUGIN_JAR_MISSING: code<{ path: string }>(
    'config',
    ({ path }) =>
      `Overworld's plugin is missing at ${path}: players cannot be counted or sent to services, and max_online_players is not enforced. Copy the whole folder of the master again (in a clone of the project: npm run build), and restart the master.`,
  ),
  BALANCER_CONFIG_MISSING: code<{ path: string }>(
    'config',
    ({ path }) =>
      `There is no load balancer configuration at ${path}. Install HAProxy (apt-get install haproxy), or correct balancer.config_path.`,
  ),
  BALANCER_CONFIG_UNUSABLE: code<{ path: string; why: string }>(
    'config',
    ({ path, why }) => `The load balancer configuration ${path} was not changed: ${why}.`,
  ),
  BALANCER_PROGRAM_MISSING: code<{ path: string }>(
    'config',
    ({ path }) =>
      `HAProxy is not installed on this machine, so ${path} is not used. Install it (apt-get install haproxy). If players are to join a proxy directly instead, set balancer.config_path to a file that does not exist.`,
  ),
  BALANCER_ENTRY_REFUSED: code<{ addition: string; inForce: string | null; why: string }>(
    'config',
    ({ addition, inForce, why }) =>
      `HAProxy rejects balancer.entry_addition "${addition}": ${why}. ${inForce === null ? 'Nothing was changed. Correct it.' : `"${inForce}" remains in effect until it is corrected.`}`,
  ),
  BALANCER_RELOAD_FAILED: code<{ path: string; why: string }>(
    'transient',
    ({ path, why }) =>
      `HAProxy could not reload ${path}: ${why}. Connected players are not affected. The master retries automatically. To reload it by hand, run: systemctl reload haproxy.`,
    true,
  ),
  BALANCER_PORT_TAKEN: code<{ port: number }>(
    'transient',
    ({ port }) =>
      `HAProxy does not accept players yet: another program on this machine uses port ${port}. If it is a proxy of this network, restart that service. It gets another port, and HAProxy uses this one.`,
    true,
  ),
  BALANCER_UNREACHABLE: code<{ path: string; why: string }>(
    'transient',
    ({ path, why }) =>
      `HAProxy cannot be reached through ${path}: ${why}. Connected players are not affected; see docs/balancer.md for what it needs.`,
    true,
  ),
};
