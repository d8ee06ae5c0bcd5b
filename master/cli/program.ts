import { Command, CommanderError } from 'commander';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { VERSION } from '#shared/version.ts';
import { balancerCommand } from './commands/balancer.ts';
import { checkCommand } from './commands/check.ts';
import { doctorCommand } from './commands/doctor.ts';
import { initCommand } from './commands/init.ts';
import { keysCommand } from './commands/keys.ts';
import { nodeCommand } from './commands/node.ts';
import { planCommand } from './commands/plan.ts';
import { playersCommand } from './commands/players.ts';
import { runCommand, type Run } from './commands/run.ts';
import { serviceCommand } from './commands/service.ts';
import { statusCommand } from './commands/status.ts';
import { templateCommand } from './commands/template.ts';
import { exitCode, type CliContext, type CliOutput } from './context.ts';
import { printable } from './table.ts';

const consoleOutput: CliOutput = {
  out: (text) => {
    console.log(text);
  },
  err: (text) => {
    console.error(text);
  },
};

/** Creates the command line of the master. The caller supplies `run`. */
export function buildProgram({ run }: { readonly run: Run }, context: CliContext): Command {
  return new Command('overworld-master')
    .description('The Overworld master: keeps a Minecraft network running.')
    .version(VERSION)
    .addCommand(runCommand(run))
    .addCommand(initCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(doctorCommand(context))
    .addCommand(keysCommand(context))
    .addCommand(templateCommand(context))
    .addCommand(serviceCommand(context))
    .addCommand(nodeCommand(context))
    .addCommand(playersCommand(context))
    .addCommand(balancerCommand(context))
    .addCommand(planCommand(context))
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or mistakes found, 2 wrong use of a command.');
}

/**
 * Runs one command line. Prints errors as one sentence on stderr, never as a stack.
 *
 * @param args without the program's name: `['keys', 'list']`
 * @returns the exit code: 0 success, 1 failure or problems found, 2 wrong usage
 */
export async function runCli(
  args: readonly string[],
  parts: { readonly run: Run },
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
    // Help and version also arrive here, with exit code 0. Wrong usage has already been explained.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    output.err(printable(toOverworldError(error).message));
    return exitCode.failed;
  }
}

function forEachCommand(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) forEachCommand(child, change);
}
