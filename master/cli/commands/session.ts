import { Command } from 'commander';
import type { AdminSession } from '#shared/model/access/admin-session.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatTable, formatTime, printable } from '../table.ts';

/** Defines `overworld-master session list|end`. */
export function sessionCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('list the people who are logged in over SSH, with the app or SFTP')
    .addOption(dataOption())
    .addOption(jsonOption('array of sessions'))
    .action(async ({ data, json }: CommonOptions) => {
      const sessions = await withMaster(data, (master) => master.call('sessions.list', {}));
      if (json === true) printJson(context, sessions);
      else context.out(sessions.length === 0 ? 'There is no open SSH session.' : sessionTable(sessions));
    });
  const end = new Command('end')
    .description('close a session and its transfers; its key can log in again')
    .argument('<session>', 'its id, as `session list` shows it')
    .addOption(dataOption())
    .addOption(jsonOption('the session'))
    .action(async (session: string, { data, json }: CommonOptions) => {
      const ended = await withMaster(data, (master) => master.call('sessions.end', { session }));
      if (json === true) printJson(context, ended);
      else context.out(printable(`The session of ${ended.key} from ${ended.address} was ended.`));
    });
  return new Command('session')
    .description('list who is logged in, and end sessions')
    .addCommand(list)
    .addCommand(end);
}

function sessionTable(sessions: readonly AdminSession[]): string {
  return formatTable(
    ['SESSION', 'KEY', 'ROLE', 'ADDRESS', 'CLIENT', 'API', 'SFTP', 'SINCE'],
    sessions.map(({ id, key, role, address, client, channels, since }) => [
      id,
      key,
      role,
      address,
      client,
      channels.api,
      channels.sftp,
      formatTime(since),
    ]),
  );
}
