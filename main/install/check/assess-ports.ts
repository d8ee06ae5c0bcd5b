import type { ServerProblem } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { Listener, ServerFacts } from './facts.ts';
import type { Intent } from './intent.ts';
import { error, warning } from './problem.ts';

/** Default port of the plugin link (`communication.port`). */
const LINK_PORT = 1510;
/** Port that players connect to. */
const PLAYER_PORT = 25_565;

/**
 * Returns the problems with the ports that the master, the plugin link and players need. Returns none if the server has
 * no `ss`, because then its used ports are not known.
 */
export function portProblems(facts: ServerFacts, intent: Intent): ServerProblem[] {
  const { listeners, firewall, master } = facts;
  if (listeners === null) return [];
  const problems: ServerProblem[] = [];
  const other = (port: number) => foreignListener(facts, port);

  const { masterPort } = intent;
  const onMaster = masterPort === null ? null : other(masterPort);
  if (masterPort !== null && onMaster !== null) {
    problems.push(
      error(`Port ${masterPort} of the master is used by ${programOf(onMaster)}. Choose another port.`),
    );
  }
  const onLink = other(LINK_PORT);
  if (onLink !== null) {
    const text = `Port ${LINK_PORT} of the plugin link is used by ${programOf(onLink)}.`;
    // A configured master may use another port (communication.port).
    if (master?.configured === true)
      problems.push(warning(`${text} Services report nothing unless the master uses another.`));
    else problems.push(error(`${text} Stop it there.`));
  }
  problems.push(...playerProblems(facts, intent));
  if (firewall !== null && !intent.openPorts) {
    const ports = [masterPort ?? 2022, LINK_PORT, ...(intent.haproxy ? [PLAYER_PORT] : [])].join(', ');
    problems.push(
      warning(`${firewall} is active there. Open the ports ${ports}, or let the installation open them.`),
    );
  }
  return problems;
}

/** Returns a problem if another program uses the port that players connect to. */
function playerProblems(facts: ServerFacts, { haproxy }: Intent): ServerProblem[] {
  const found = foreignListener(facts, PLAYER_PORT);
  if (found === null || found.program === 'haproxy') return [];
  const text = `Port ${PLAYER_PORT} of the players is used by ${programOf(found)}.`;
  if (haproxy) return [error(`${text} HAProxy needs it: stop that program there.`)];
  // The master's own proxies use this port on a server that runs services.
  if (facts.moving.isNode && found.program === 'java') return [];
  return [warning(`${text} Players cannot join at this address on their usual port.`)];
}

/** Returns the listener on a port if it is not the master itself. Null if there is none. */
function foreignListener({ listeners, masterPids }: ServerFacts, port: number): Listener | null {
  const found = listeners?.find(
    (one) => one.port === port && (one.pid === null || !masterPids.includes(one.pid)),
  );
  return found ?? null;
}

function programOf({ program, pid }: Listener): string {
  return program === null ? 'another program' : `${visibleName(program)} (process ${pid ?? 'unknown'})`;
}
