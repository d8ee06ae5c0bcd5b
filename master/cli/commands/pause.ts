import { Command } from 'commander';
import { withMaster, type MasterClient } from '../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../context.ts';
import { printable } from '../table.ts';

/** A command that calls the running master for one service, template or node. */
export interface SubjectCommand {
  readonly name: string;
  readonly description: string;
  /** Name of the command's argument, as shown in the help. */
  readonly subject: string;
  readonly ask: (master: MasterClient, id: string) => Promise<unknown>;
  /** Returns the sentence to print on success. */
  readonly done: (id: string) => string;
  /** Returns further sentences to print. Empty if there are none. */
  readonly more?: (master: MasterClient, id: string) => Promise<string>;
}

/** Creates a command that takes one id, calls the running master, and prints one sentence with the result. */
export function subjectCommand(
  { name, description, subject, ask, done, more }: SubjectCommand,
  context: CliContext,
): Command {
  return new Command(name)
    .description(description)
    .argument('<id>', subject)
    .addOption(dataOption())
    .action(async (id: string, { data }: CommonOptions) => {
      const further = await withMaster(data, async (master) => {
        await ask(master, id);
        return more === undefined ? '' : more(master, id);
      });
      context.out(printable(`${done(id)} ${further}`.trimEnd()));
    });
}

/** Creates the two commands `hold` and `put-back` for services, templates or nodes. */
export function pauseCommands(
  noun: { readonly subject: string; readonly what: string },
  ask: (master: MasterClient, id: string, held: boolean) => Promise<unknown>,
  context: CliContext,
): Command[] {
  const { subject, what } = noun;
  const pause: SubjectCommand = {
    name: 'hold',
    description: `pause automation of ${what}; all services still count for the rules`,
    subject,
    ask: (master, id) => ask(master, id, true),
    done: (id) => `Automation of ${id} is paused: no rule changes it, and it still counts.`,
  };
  const resume: SubjectCommand = {
    name: 'put-back',
    description: `resume automation of ${what}`,
    subject,
    ask: (master, id) => ask(master, id, false),
    done: (id) => `Automation of ${id} is resumed.`,
  };
  return [subjectCommand(pause, context), subjectCommand(resume, context)];
}
