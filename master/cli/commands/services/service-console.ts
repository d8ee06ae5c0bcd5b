import { isatty } from 'node:tty';
import { Command } from 'commander';
import { withMaster } from '../../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../../context.ts';
import { exitWithReader } from '../../follow.ts';
import { runConsole } from '../../line-console.ts';
import { printable } from '../../table.ts';

/** Defines `overworld-master service console <id>`. */
export function serviceConsoleCommand(context: CliContext): Command {
  return new Command('console')
    .description("open a service's console; Ctrl+D or Ctrl+C leaves it, and the service keeps running")
    .argument('<id>', 'the service, such as lobby-3')
    .addOption(dataOption())
    .action(async (id: string, { data }: CommonOptions) => {
      exitWithReader();
      const isTerminal = isatty(0);
      const onFailure = (sentence: string): void => {
        context.err(sentence);
        context.fail();
      };
      const terminal = {
        input: process.stdin,
        output: process.stdout,
        isTerminal,
        // A person sees the failure above the prompt. A script needs the exit code.
        ...(isTerminal ? {} : { onFailure }),
      };
      const ended = await withMaster(data, (master) => runConsole(master, id, terminal)).finally(() => {
        // An open standard input would keep this process running.
        process.stdin.destroy();
      });
      if (ended === 'exited') context.err(printable(`${id} has exited.`));
      else if (isTerminal) context.err(printable(`You left the console. ${id} keeps running.`));
    });
}
