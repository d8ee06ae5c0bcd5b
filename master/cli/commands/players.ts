import { Command, InvalidArgumentError, Option } from 'commander';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { DEFAULT_KICK_MESSAGE, type Player } from '#shared/model/player.ts';
import { serviceIdSchema } from '#shared/model/service.ts';
import { withMaster, type MasterClient } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatTable, formatTime, printable } from '../table.ts';

const WHO = "the player's name or UUID, as `players list` shows it";

/** Defines `overworld-master players list|kick|send`. */
export function playersCommand(context: CliContext): Command {
  return new Command('players')
    .description('list players, kick them or send them to another service')
    .addCommand(list(context))
    .addCommand(kick(context))
    .addCommand(send(context));
}

function list(context: CliContext): Command {
  return new Command('list')
    .description('list all players, in the order in which they joined')
    .addOption(dataOption())
    .addOption(jsonOption('{total, limit, players}'))
    .action(async ({ data, json }: CommonOptions) => {
      const answer = await withMaster(data, (master) => master.call('players.list', {}));
      if (json === true) {
        printJson(context, answer);
        return;
      }
      const { total, limit, players } = answer;
      if (players.length > 0) context.out(`${playerTable(players)}\n`);
      if (total === null) {
        context.out(`The number of players is not known yet. The limit is ${limit}.`);
        return;
      }
      const more = total > players.length ? `, of which the first ${players.length} are shown` : '';
      context.out(`${total} of at most ${limit} players are on proxies with Overworld's plugin${more}.`);
    });
}

function kick(context: CliContext): Command {
  return new Command('kick')
    .description('kick a player')
    .argument('<player>', WHO)
    .addOption(dataOption())
    .addOption(
      new Option('--message <text>', 'message for the player')
        .argParser(toMessage)
        .default('', JSON.stringify(DEFAULT_KICK_MESSAGE)),
    )
    .action(async (player: string, { data, message }: CommonOptions & { readonly message: string }) => {
      const { name } = await withMaster(data, async (master) => {
        const found = await find(master, player);
        await master.call('players.kick', { uuid: found.uuid, message });
        return found;
      });
      context.out(printable(`${name} was kicked.`));
    });
}

function send(context: CliContext): Command {
  return new Command('send')
    .description('send a player to another service')
    .argument('<player>', WHO)
    .argument('<service>', 'the service, such as lobby-3', toServiceId)
    .addOption(dataOption())
    .action(async (player: string, service: string, { data }: CommonOptions) => {
      const { name } = await withMaster(data, async (master) => {
        const found = await find(master, player);
        await master.call('players.send', { uuid: found.uuid, service });
        return found;
      });
      context.out(printable(`${name} is sent to ${service}.`));
    });
}

/**
 * Finds a player by UUID or name. Upper and lower case are ignored only if no name is written in the same way. Without
 * proxies that check accounts, several players can have the same name.
 *
 * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_AMBIGUOUS
 */
async function find(master: MasterClient, player: string): Promise<Player> {
  const { players } = await master.call('players.list', {});
  const wanted = player.toLowerCase();
  const ways: ((one: Player) => boolean)[] = [
    ({ uuid }) => uuid === wanted,
    ({ name }) => name === player,
    ({ name }) => name.toLowerCase() === wanted,
  ];
  const found = ways.map((fits) => players.filter(fits)).find(({ length }) => length > 0) ?? [];
  const [first] = found;
  if (first === undefined) throw new OverworldError('PLAYER_NOT_FOUND', { player });
  if (found.length === 1) return first;
  const all = found.map(({ uuid, proxy }) => `${uuid} on ${proxy}`).join(', ');
  throw new OverworldError('PLAYER_AMBIGUOUS', { player, players: all });
}

function playerTable(players: readonly Player[]): string {
  return formatTable(
    ['PLAYER', 'UUID', 'PROXY', 'ON', 'SINCE'],
    players.map(({ name, uuid, proxy, server, since }) => [
      name,
      uuid,
      proxy,
      server ?? '',
      formatTime(since),
    ]),
  );
}

function toMessage(text: string): string {
  if (text.length > 256) throw new InvalidArgumentError('It must have at most 256 characters.');
  return text;
}

function toServiceId(text: string): string {
  if (!serviceIdSchema.safeParse(text).success)
    throw new InvalidArgumentError('It must be a service, such as lobby-3.');
  return text;
}
