import { Command, CommanderError } from 'commander';
import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { VERSION } from '#shared/version.ts';
import { readUnit, UNIT } from '#master/doctor/service-unit.ts';
import { activityCommand } from './commands/activity.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup/backup.ts';
import { balancerCommand } from './commands/balancer.ts';
import { checkCommand, type CheckState } from './commands/check.ts';
import { doctorCommand } from './commands/doctor.ts';
import { initCommand } from './commands/init.ts';
import { installCommand } from './commands/install.ts';
import { localCommand } from './commands/local/local.ts';
import { keysCommand } from './commands/keys.ts';
import { networkCommand } from './commands/network.ts';
import { nodeCommand } from './commands/node.ts';
import { planCommand } from './commands/plan.ts';
import { playersCommand } from './commands/players.ts';
import { sessionCommand } from './commands/session.ts';
import { runCommand, type Run } from './commands/run.ts';
import { serviceCommand } from './commands/services/service.ts';
import { softwareCommand } from './commands/software/software.ts';
import { statusCommand } from './commands/status.ts';
import { templateCommand } from './commands/template.ts';
import { volumeCommand } from './commands/volumes/volume.ts';
import { upgradeCommand } from './commands/upgrade.ts';
import { addCompletion } from './completion.ts';
import { exitCode, type CliContext, type CliOutput } from './context.ts';
import { ensureAllowed, findDataFolder } from './data-folder.ts';
import { printable } from './table.ts';

const consoleOutput: CliOutput = {
  out: (text) => {
    console.log(text);
  },
  err: (text) => {
    console.error(text);
  },
};

/** Functions that boot passes to the command line, because only boot may import all folders of the master. */
export interface BootParts {
  readonly run: Run;
  readonly checkState: CheckState;
}

/** Creates the command line of the master. */
export function buildProgram({ run, checkState }: BootParts, context: CliContext): Command {
  const program = new Command('overworld-master')
    .description('The Overworld master: keeps a Minecraft network running.')
    .version(VERSION)
    .hook('preAction', (_program, command) => prepareData(command))
    .addCommand(runCommand(run))
    .addCommand(initCommand(context))
    .addCommand(installCommand(context))
    .addCommand(localCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(checkCommand(checkState, context))
    .addCommand(doctorCommand(context))
    .addCommand(keysCommand(context))
    .addCommand(sessionCommand(context))
    .addCommand(networkCommand(context))
    .addCommand(templateCommand(context))
    .addCommand(softwareCommand(context))
    .addCommand(serviceCommand(context))
    .addCommand(volumeCommand(context))
    .addCommand(backupCommand(context))
    .addCommand(activityCommand(context))
    .addCommand(auditCommand(context))
    .addCommand(nodeCommand(context))
    .addCommand(playersCommand(context))
    .addCommand(balancerCommand(context))
    .addCommand(planCommand(context))
    .addCommand(upgradeCommand(context))
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure or mistakes found, 2 incorrect usage, 130 ended with Ctrl+C.',
    );
  addCompletion(program);
  return program;
}

/**
 * Runs one command line. Prints errors as one sentence on stderr, never as a stack trace.
 *
 * @param args without the program's name: `['keys', 'list']`
 * @returns the exit code: 0 success, 1 failure or problems found, 2 wrong usage, 130 ended with Ctrl+C
 */
export async function runCli(
  args: readonly string[],
  parts: BootParts,
  output: CliOutput = consoleOutput,
): Promise<number> {
  let code: number = exitCode.ok;
  const program = buildProgram(parts, { ...output, fail: () => (code = exitCode.failed) });
  forEachCommand(program, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => output.out(text.trimEnd()),
      writeErr: (text) => output.err(text.trimEnd()),
    }),
  );
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Help and version also arrive here, with exit code 0. For wrong usage, the explanation has already been
    // printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    output.err(printable((await withUnit(toOverworldError(error))).message));
    return exitCode.failed;
  }
}

/**
 * Returns the error with the state of the systemd unit added, if that unit should be running the master that is not
 * running.
 */
async function withUnit(error: OverworldError): Promise<OverworldError> {
  if (!hasCode(error, 'MASTER_NOT_RUNNING')) return error;
  const { folder } = error.details;
  const unit = await readUnit();
  if (unit?.data !== folder) return error;
  return new OverworldError('MASTER_UNIT_NOT_RUNNING', { folder, unit: UNIT, state: unit.state }, error);
}

/**
 * Determines the data folder if the command needs one and `--data` was not given.
 *
 * @throws OverworldError DATA_FOLDER_FORBIDDEN
 */
async function prepareData(command: Command): Promise<void> {
  if (!command.options.some(({ long }) => long === '--data')) return;
  const given: unknown = command.getOptionValue('data');
  const data = typeof given === 'string' ? given : await findDataFolder();
  command.setOptionValueWithSource('data', data, 'implied');
  await ensureAllowed(data);
}

function forEachCommand(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) forEachCommand(child, change);
}
