import { resolve } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { DATA_VARIABLE, dataArgument } from '#master/doctor/service-unit.ts';
import { withMaster } from './client.ts';
import { findDataFolder } from './data-folder.ts';

/** Maximum time to wait for the ids of services, templates and nodes (ms). A person is waiting for the Tab key. */
const IDS_TIMEOUT_MS = 1_000;

/** Kinds of ids that are completed with the help of the running master. */
type Kind = 'service' | 'template' | 'node';

type Ids = Readonly<Record<Kind, readonly string[]>>;

const NONE: Ids = { service: [], template: [], node: [] };

/**
 * Adds two commands: `completion <shell>`, which prints a script for the shell, and the hidden command `complete`,
 * which the script calls for each press of Tab. Ids come from the running master. If no master runs, only commands
 * and options are completed.
 */
export function addCompletion(program: Command): void {
  const root = tab(program, { completionCommandName: 'completion' });
  let ids = NONE;
  /** Commands, or groups of commands, that expect ids. */
  const groups = new Set<string>();
  for (const command of program.commands) {
    if (command.name() === 'completion') describe(command);
    if (command.name() === 'complete') {
      command.hook('preAction', async (_command, action) => {
        if (action.args.length > 1 && groups.has(action.args[0] ?? '')) ids = await askForIds(action.args);
      });
    }
  }
  for (const [name, { arguments: args, options }] of root.commands) {
    const offer = (kind: Kind): ((complete: (value: string, description: string) => void) => void) => {
      groups.add(name.split(' ')[0] ?? '');
      return (complete) => ids[kind].forEach((id) => complete(id, ''));
    };
    for (const [argument, values] of args) {
      const kind = kindOf(name, argument);
      if (kind !== null) values.handler = offer(kind);
    }
    const template = options.get('template');
    if (template !== undefined) template.handler = offer('template');
  }
}

function describe(command: Command): void {
  command
    .description('print the script that completes commands, options and ids in a shell')
    .addHelpText(
      'after',
      '\nExample: overworld-master completion bash > /etc/bash_completion.d/overworld-master',
    );
}

/** Returns the kind of ids that a command expects for an argument. Null if the argument is not an id. */
export function kindOf(command: string, argument: string): Kind | null {
  const [group = ''] = command.split(' ');
  if (argument === 'template' || argument === 'service') return argument;
  if (argument !== 'id' && argument !== 'ids') return null;
  return group === 'service' || group === 'template' || group === 'node' ? group : null;
}

async function askForIds(args: readonly string[]): Promise<Ids> {
  try {
    const data = dataArgument(args) ?? process.env[DATA_VARIABLE] ?? '';
    const folder = data === '' ? await findDataFolder() : resolve(data);
    return await withMaster(
      folder,
      async (master) => ({
        service: (await master.call('services.list', {})).services.map(({ id }) => id).sort(),
        template: (await master.call('templates.list', {})).map(({ id }) => id).sort(),
        node: (await master.call('nodes.list', {})).map(({ id }) => id).sort(),
      }),
      IDS_TIMEOUT_MS,
    );
  } catch {
    return NONE;
  }
}
