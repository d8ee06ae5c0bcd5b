import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { InstallStepName, ServerDraft, ServerProblem } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import { addressOf } from '../../connections/ssh.ts';
import { assess, packageArch } from '../check/assess.ts';
import { checkScript } from '../check/check-script.ts';
import { readFacts, type ServerFacts } from '../check/facts.ts';
import type { Intent } from '../check/intent.ts';
import type { JobControl, StepControl } from '../job/job-parts.ts';
import type { PackageArch } from '../package/find-package.ts';
import type { RootShell } from '../server/run-in-unit.ts';
import type { ServerShell } from '../server/shell.ts';
import { findSudo } from '../server/sudo.ts';
import { failure } from './failure.ts';

/** A server on which the master can be installed. */
export interface CheckedServer {
  readonly root: RootShell;
  readonly facts: ServerFacts;
  readonly arch: PackageArch;
  /** Problems that a person should know about. None of them ends the job. */
  readonly problems: readonly ServerProblem[];
}

interface Inspected {
  readonly shell: ServerShell;
  readonly server: ServerDraft;
}

/**
 * Inspects a server. Changes nothing on it.
 *
 * @param name the step that inspects the server
 * @throws OverworldError SERVER_SUDO_REFUSED, INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort
 *   reason
 */
export async function inspectServer(
  { parts, signal }: Pick<JobControl, 'parts' | 'signal'>,
  step: StepControl,
  { shell, server, name }: Inspected & { readonly name: InstallStepName },
): Promise<Pick<CheckedServer, 'root' | 'facts'>> {
  const sudo = await findSudo(shell, server, signal);
  const root: RootShell = { shell, sudo };
  step.command(
    `${rootPrefix(root)}sh  # reads os-release, df, ss, dpkg-query, systemctl show; changes nothing`,
  );
  const began = Date.now();
  const { stdout, stderr } = await shell.run(checkScript(parts.version), { sudo, signal });
  // The server read its clock between the start and the end of the script. So the middle of this time is used.
  const facts = readFacts(stdout, Math.round((began + Date.now()) / 2_000));
  if (facts === null) throw failure({ step: name, address: addressOf(server), output: stderr });
  return { root, facts };
}

/**
 * Inspects a server and reports its problems. Fails if the server cannot run a master because of a problem that this
 * inspection has found. Changes nothing on the server.
 *
 * @param known problems that were found earlier; they are also reported, but do not make the call fail
 * @throws OverworldError SERVER_SUDO_REFUSED, SERVER_UNSUITABLE, INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the
 *   signal's abort reason
 */
export async function checkServer(
  job: JobControl,
  step: StepControl,
  {
    intent,
    known = [],
    ...inspected
  }: Inspected & { readonly intent: Intent; readonly known?: readonly ServerProblem[] },
): Promise<CheckedServer> {
  const { memory } = job;
  const { root, facts } = await inspectServer(job, step, { ...inspected, name: 'check' });
  if (memory.before === undefined) memory.before = facts.master?.version ?? null;
  const found = assess(facts, intent);
  const problems = [...found, ...known];
  job.report({ problems, versionBefore: memory.before });
  const errors = found.filter(({ severity }) => severity === 'error').map(({ text }) => text);
  const arch = packageArch(facts.arch);
  if (errors.length > 0 || arch === null) {
    const address = addressOf(inspected.server);
    throw new OverworldError('SERVER_UNSUITABLE', { address, problems: errors });
  }
  const ram = facts.memoryKib === null ? '' : `, ${Math.round(facts.memoryKib / 1_024)} MB of RAM`;
  step.detail(`${visibleName(facts.os.name)}, ${arch}${ram}.`);
  return { root, facts, arch, problems };
}

/** Returns the prefix of a command that a person would type, such as `sudo `. Empty for root. */
export function rootPrefix({ sudo }: RootShell): string {
  return sudo.kind === 'root' ? '' : 'sudo ';
}
