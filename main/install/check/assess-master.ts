import type { ServerProblem } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { MasterOnServer, ServerFacts } from './facts.ts';
import type { Intent, MasterToMove } from './intent.ts';
import { error, warning } from './problem.ts';

/** Returns the problems that result from the state of the master on the server, or from its absence. */
export function masterProblems(facts: ServerFacts, intent: Intent): ServerProblem[] {
  const { master, upgrading } = facts;
  if (intent.kind === 'update') return upgrading ? [] : updateProblems(master, intent);
  if (upgrading) return [error('Its master is being updated at this moment. Wait until that has ended.')];
  if (intent.leaving !== null) return targetProblems(facts, intent, intent.leaving);
  return master === null ? [] : installProblems(master, intent);
}

/** Returns the problems with the target server of a move: another master, another copy, or other files on it. */
function targetProblems(
  { master, moving }: ServerFacts,
  intent: Intent,
  leaving: MasterToMove,
): ServerProblem[] {
  const advice = 'Choose another server, or remove it there first.';
  if (master?.kind === 'by hand') return [byHand(master, advice)];
  if (moving.isStopped) return [error('It is the server that the master is to leave. Choose another one.')];
  const problems = master === null ? [] : newerProblems(master, intent);
  if (master?.configured !== true) {
    if (!moving.hasData || moving.isCopy) return problems;
    const text = 'The folder /var/lib/overworld there contains files that are no copy of this master.';
    return [...problems, error(`${text} Move them elsewhere first.`)];
  }
  if (master.hostKey === null || master.hostKey !== intent.masterHostKey) {
    return [...problems, error(`Another master is there (${master.hostKey ?? 'unknown key'}). ${advice}`)];
  }
  if (!master.running) {
    const older = 'An older copy of this master is there. It is replaced by the data that it has now.';
    return moving.isCopy ? problems : [...problems, warning(older)];
  }
  if (!leaving.isRunning) return problems;
  const both = 'This master runs there, too, and two of them must never run.';
  return [
    ...problems,
    error(`${both} Unless it is the same server, stop it: systemctl disable --now overworld-master`),
  ];
}

function updateProblems(master: MasterOnServer | null, intent: Intent): ServerProblem[] {
  if (master?.kind === 'by hand') return [byHand(master, 'Update it there: overworld-master upgrade FILE')];
  if (master?.kind !== 'package') {
    return [
      error(
        'No master is installed there from its package, so there is nothing to update. Check the address.',
      ),
    ];
  }
  const { masterHostKey } = intent;
  const problems = newerProblems(master, intent);
  if (masterHostKey !== null && master.hostKey !== null && master.hostKey !== masterHostKey) {
    const keys = `its host key is ${master.hostKey}, that of the connection is ${masterHostKey}`;
    problems.push(
      error(`Another master than that of the connection is installed there: ${keys}. Check the address.`),
    );
  }
  if (master.compared === 'older' && !master.canUpgrade) {
    const version = visibleName(master.version ?? '');
    problems.push(
      warning(`Version ${version} there cannot return by itself if the new version does not work.`),
    );
  }
  return problems;
}

function installProblems(master: MasterOnServer, intent: Intent): ServerProblem[] {
  const version = visibleName(master.version ?? '');
  switch (master.kind) {
    case 'by hand':
      return [
        byHand(
          master,
          'Remove its program and its unit first, as "From a copied folder to the package" of the installation page says; its data stays.',
        ),
      ];
    case 'data':
      return [warning(`The data of an earlier master is in ${master.place}. The new master uses it.`)];
    case 'package': {
      const newer = newerProblems(master, intent);
      if (newer.length > 0) return newer;
      if (master.compared === 'older') {
        return [
          warning(`Version ${version} of the master is installed there. It is updated to ${intent.version}.`),
        ];
      }
      return master.complete
        ? [
            warning(
              `Version ${version} of the master is installed there already. Only what is missing is changed.`,
            ),
          ]
        : [];
    }
  }
}

/** Returns a problem if the installed master is newer than the package of this app. */
export function newerProblems(
  { compared, version }: MasterOnServer,
  intent: Pick<Intent, 'version'>,
): ServerProblem[] {
  if (compared !== 'newer') return [];
  return [
    error(
      `Version ${visibleName(version ?? '')} of the master is installed there, which is newer than ${intent.version} of this app. Update the app.`,
    ),
  ];
}

function byHand({ place }: MasterOnServer, advice: string): ServerProblem {
  return error(`A master that was installed by hand is there (${visibleName(place)}). ${advice}`);
}
