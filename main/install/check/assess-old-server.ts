import type { ServerProblem } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import { newerProblems } from './assess-master.ts';
import type { MasterOnServer, ServerFacts } from './facts.ts';
import { areOnlyOptions, type MovingFacts } from './moving-facts.ts';
import { error, warning } from './problem.ts';

/** The move that is requested from a server. */
export interface MoveRequest {
  /** Version of the app (semver). */
  readonly version: string;
  /** Host key of the connection's master. Null if the key is not known. */
  readonly masterHostKey: string | null;
  /** `host:port` of the new server. */
  readonly to: string;
  /** Whether the new server gets HAProxy. */
  readonly haproxy: boolean;
}

/**
 * Returns the problems that prevent a move of the master from a server, followed by warnings for the person. Pure.
 */
export function assessOldServer(facts: ServerFacts, request: MoveRequest): ServerProblem[] {
  const { master, moving, upgrading } = facts;
  if (upgrading) return [error('It is being updated at this moment. Wait until that has ended.')];
  if (master?.kind === 'by hand') {
    const how =
      'Change it to the package first ("From a copied folder to the package" of the installation page)';
    return [error(`It was installed by hand (${visibleName(master.place)}). ${how}, or move it by hand.`)];
  }
  if (master?.kind !== 'package' || !master.configured) {
    return [error('No master is installed there from its package. Check the address.')];
  }
  const problems = [
    ...newerProblems(master, request),
    ...stateProblems(master, moving),
    ...identityProblems(master, moving, request),
    ...surroundingProblems(moving, request),
  ];
  const rank = ({ severity }: ServerProblem) => (severity === 'error' ? 0 : 1);
  return problems.sort((a, b) => rank(a) - rank(b));
}

/** Returns a problem if the installation of the master is incomplete, or if the master unexpectedly does not run. */
function stateProblems(master: MasterOnServer, moving: MovingFacts): ServerProblem[] {
  const problems: ServerProblem[] = [];
  if (!master.complete) {
    problems.push(error('Its installation is not complete. Complete it there: dpkg --configure -a'));
  }
  if (!master.running && !moving.isStopped) {
    problems.push(
      error('It does not run, so its data may be outdated. Start it there: systemctl start overworld-master'),
    );
  }
  return problems;
}

/**
 * Returns a problem if the master on the server is not the master of the connection. Also returns a problem if an
 * earlier move handed the master over to a third server.
 */
function identityProblems(
  { hostKey }: MasterOnServer,
  { handedTo }: MovingFacts,
  { masterHostKey, to }: MoveRequest,
): ServerProblem[] {
  const problems: ServerProblem[] = [];
  if (hostKey === null || (masterHostKey !== null && hostKey !== masterHostKey)) {
    const keys = `its host key is ${hostKey ?? 'unknown'}, that of the connection is ${masterHostKey ?? 'unknown'}`;
    problems.push(error(`It is another master than that of the connection: ${keys}. Check the address.`));
  }
  if (handedTo !== null && handedTo !== to) {
    const advice =
      'Continue with that server. Or make sure that it does not run there, run "rm -r /var/lib/overworld-move" on the old server, and start it there.';
    problems.push(error(`An earlier move has handed it over to ${visibleName(handedTo)}. ${advice}`));
  }
  return problems;
}

/** Returns the problems with the options, the unit and HAProxy. These are not part of the master's data. */
function surroundingProblems(moving: MovingFacts, { haproxy }: MoveRequest): ServerProblem[] {
  const problems: ServerProblem[] = [];
  if (moving.hasLargeOptions) {
    problems.push(error('The file /etc/default/overworld-master is larger than 16 KiB. Shorten it there.'));
  } else if (moving.options !== null && !areOnlyOptions(moving.options)) {
    const why = 'Other variables could run programs of the old server on the new one.';
    const advice = 'Remove them there, and set them on the new server after the move.';
    problems.push(
      error(
        `The file /etc/default/overworld-master contains more than OPTIONS=… in one line. ${why} ${advice}`,
      ),
    );
  }
  if (moving.hasOwnUnit) {
    problems.push(
      warning(
        'Its unit was changed there (systemctl cat overworld-master). The new server gets the usual unit.',
      ),
    );
  }
  if (moving.isNode) {
    problems.push(
      warning(
        'It may run services, too, and keeps this right after the move. The new server does not get it. Run "overworld-master local disable" there and, if you want, "overworld-master local enable" on the new server.',
      ),
    );
  }
  if (moving.managesHaproxy && !haproxy) {
    problems.push(
      warning(
        'It manages HAProxy there, and the new server gets none. Players cannot join there until it has one.',
      ),
    );
  }
  return problems;
}
