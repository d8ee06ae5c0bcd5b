import { Command } from 'commander';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { Finding } from '#master/doctor/finding.ts';
import type { MasterState } from '#master/doctor/machine.ts';
import { withMaster } from '../client.ts';
import { isSshReady } from '../machine/ssh-ready.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { providerUrlOption } from '../own-urls.ts';
import { printable } from '../table.ts';
import { findProblems } from './check.ts';

interface DoctorCommandOptions extends CommonOptions {
  readonly providerUrl?: string;
}

const MARKS = { ok: 'ok   ', warning: 'warn ', bad: 'BAD  ', skipped: '-    ' } as const;

/**
 * Defines `overworld-master doctor`. The command checks the environment of a master (provider, ports, Java, HAProxy
 * and others), and gives advice.
 */
export function doctorCommand(context: CliContext): Command {
  return new Command('doctor')
    .description(
      'check the machine, the configuration and the hosting provider, and suggest fixes; exit code 1 if a check fails',
    )
    .addOption(dataOption())
    .addOption(jsonOption('array of {check, verdict, found, advice}'))
    .addOption(providerUrlOption())
    .action((options: DoctorCommandOptions) => doctor(options, context));
}

async function doctor({ data, json, providerUrl }: DoctorCommandOptions, context: CliContext): Promise<void> {
  const findings: Finding[] = [];
  const add = (finding: Finding): void => {
    findings.push(finding);
    if (finding.verdict === 'bad') context.fail();
    if (json !== true) show(finding, context);
  };
  const problems = await findProblems(data);
  for (const { severity, file, problem } of problems) {
    const verdict = severity === 'warning' ? 'warning' : 'bad';
    add({ check: file, verdict, found: problem, advice: null });
  }
  const isThere = problems.every(({ file }) => file !== data);
  if (isThere) {
    // Loaded only here, because no other command contacts the provider.
    const { examine } = await import('#master/doctor/doctor.ts');
    const master = await askMaster(data);
    for await (const finding of examine({ data, master, providerUrl })) add(finding);
  }
  if (json === true) printJson(context, findings);
  else context.out(conclusion(findings));
}

function show({ check, verdict, found, advice }: Finding, context: CliContext): void {
  context.out(printable(`${MARKS[verdict]} ${check}: ${found}`));
  if (advice !== null) context.out(printable(`      → ${advice}`));
}

function conclusion(findings: readonly Finding[]): string {
  const count = (verdict: Finding['verdict']): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const [wrong, worth] = [count('bad'), count('warning')];
  if (wrong + worth === 0) return '\nNo problems found.';
  return `\n${wrong} failed, ${worth} with warnings.`;
}

async function askMaster(data: string): Promise<MasterState> {
  try {
    return await withMaster(data, async (master) => {
      const { java } = await master.call('master.info', {});
      return { kind: 'running', java, sshReady: await isSshReady(master) };
    });
  } catch (error) {
    return { kind: hasCode(error, 'MASTER_NOT_RUNNING') ? 'none' : 'silent' };
  }
}
