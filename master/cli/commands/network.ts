import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { softwareName, softwareTraits, type SoftwareChoice } from '#shared/model/software.ts';
import {
  freeRamMb,
  HEAP_MB,
  MAX_PLAYERS,
  planNetwork,
  practiceSoftware,
  ramAtStartMb,
  suggestedMemoryMb,
  type NetworkPart,
  type NetworkRequest,
  type PartKind,
  type PlannedTemplate,
} from '#shared/network/network-plan.ts';
import { nameProblem, presetOf, suggestId } from '#shared/network/presets.ts';
import { withMaster, type MasterClient } from '../client.ts';
import { countParser, dataOption, jsonOption, printJson, type CliContext } from '../context.ts';
import type { CommonOptions } from '../context.ts';
import { formatTable, printable } from '../table.ts';
import { parseVersion } from './software/arguments.ts';

/**
 * Sources of software for game servers: software that works behind Velocity without mods, and `practice`, which is
 * included.
 */
const sources = ['practice', 'paper', 'purpur', 'folia'] as const;
type Source = (typeof sources)[number];

interface CreateOptions extends CommonOptions {
  readonly proxy: string;
  readonly lobby: string;
  /** Names of the game modes. Undefined if the option is not given. */
  readonly game?: readonly string[];
  readonly software: Source;
  /** Version of Minecraft. */
  readonly minecraft?: string;
  readonly players: number;
  readonly proxyMemory?: number;
  readonly lobbyMemory?: number;
  readonly gameMemory?: number;
  readonly acceptEula?: boolean;
}

/** Defines `overworld-master network create`. */
export function networkCommand(context: CliContext): Command {
  const create = new Command('create')
    .description(
      'create a proxy, a lobby and game modes, with their software; the first services start at once',
    )
    .addOption(dataOption())
    .addOption(jsonOption('the templates, the RAM of their first services, and the player limit'))
    .addOption(nameOption('--proxy <name>', 'name of the proxy').default(presetOf.proxy.suggestedName))
    .addOption(nameOption('--lobby <name>', 'name of the lobby').default(presetOf.lobby.suggestedName))
    .addOption(
      new Option('--game <name...>', 'names of the game modes (default: "Game")').argParser(parseNames),
    )
    .addOption(
      new Option('--software <software>', 'software of game servers; practice needs no internet access')
        .choices(sources)
        .default('practice'),
    )
    .addOption(
      new Option('--minecraft <version>', 'version of Minecraft (default: the newest stable one)').argParser(
        parseVersion,
      ),
    )
    .addOption(
      new Option('--players <count>', 'number of players for whom the network has room at the same time')
        .default(100)
        .argParser(countParser(MAX_PLAYERS)),
    );
  for (const kind of ['proxy', 'lobby', 'game'] as const) {
    create.addOption(
      new Option(`--${kind}-memory <MB>`, memoryWords(kind)).argParser(countParser(HEAP_MB.max, HEAP_MB.min)),
    );
  }
  create
    .option(
      '--accept-eula',
      'accept the Minecraft EULA (https://aka.ms/MinecraftEULA), if the software needs it',
    )
    .action(async (options: CreateOptions) => {
      const made = await withMaster(options.data, (master) => createNetwork(master, options));
      if (options.json === true) printJson(context, made);
      else context.out(printable(createdWords(made, options.players)));
    });
  return new Command('network').description('create a whole network in one step').addCommand(create);
}

function nameOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseName);
}

function memoryWords(kind: PartKind): string {
  const { practice, real } = suggestedMemoryMb;
  return `maximum heap of each ${presetOf[kind].label.toLowerCase()} service (default: ${practice[kind]} for practice, otherwise ${real[kind]})`;
}

/** Parses the name of a template. @throws InvalidArgumentError */
function parseName(text: string): string {
  const problem = nameProblem(text);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  if (suggestId(text, []) === '')
    throw new InvalidArgumentError('It must have a letter from a to z or a digit.');
  return text;
}

function parseNames(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), parseName(text)];
}

interface CreatedNetwork {
  readonly templates: readonly ({ readonly id: string; readonly name: string } & SoftwareChoice & {
      readonly maxJvmMemory: number;
      readonly maximumOnlineServers: number;
    })[];
  /** RAM that the first services need, and RAM that is free for services (MB). */
  readonly ram: { readonly neededMb: number; readonly freeMb: number };
  /** Player limit of the network: `max_online_players`. */
  readonly maxOnlinePlayers: number;
}

async function createNetwork(master: MasterClient, options: CreateOptions): Promise<CreatedNetwork> {
  const eula = options.acceptEula === true;
  const wanted = softwareOf(options);
  // The master checks this, too, but only after the downloads.
  if (softwareTraits[wanted.game.software].needsEula && !eula) {
    throw new OverworldError('EULA_REQUIRED', { software: softwareName(wanted.game) });
  }
  const software = {
    proxy: await download(master, wanted.proxy),
    game: await download(master, wanted.game),
  };
  const existing = await master.call('templates.list', {});
  const planned = planNetwork(
    { parts: partsOf(options), players: options.players, software },
    existing.map(({ id }) => id),
  );
  await master.call('templates.createAll', { templates: [...planned], eula });
  const nodes = await master.call('nodes.list', {});
  const { config } = await master.call('config.get', {});
  return {
    templates: planned.map(toCreated),
    ram: { neededMb: ramAtStartMb(planned), freeMb: freeRamMb(nodes) },
    maxOnlinePlayers: config.max_online_players,
  };
}

function softwareOf({ software, minecraft }: CreateOptions): NetworkRequest['software'] {
  if (software === 'practice') return practiceSoftware;
  return {
    proxy: { software: 'velocity', version: null, build: null },
    game: { software, version: minecraft ?? null, build: null },
  };
}

async function download(master: MasterClient, choice: SoftwareChoice): Promise<SoftwareChoice> {
  if (softwareTraits[choice.software].isBundled) return choice;
  return master.call('software.download', { ...choice, task: randomUUID() });
}

function partsOf(options: CreateOptions): NetworkPart[] {
  const memory = suggestedMemoryMb[options.software === 'practice' ? 'practice' : 'real'];
  return [
    { kind: 'proxy', name: options.proxy, memoryMb: options.proxyMemory ?? memory.proxy },
    { kind: 'lobby', name: options.lobby, memoryMb: options.lobbyMemory ?? memory.lobby },
    ...(options.game ?? [presetOf.game.suggestedName]).map((name): NetworkPart => ({
      kind: 'game',
      name,
      memoryMb: options.gameMemory ?? memory.game,
    })),
  ];
}

function toCreated({ id, config, software }: PlannedTemplate): CreatedNetwork['templates'][number] {
  const { name, maxJvmMemory, maximumOnlineServers } = config;
  return { id, name, ...software, maxJvmMemory, maximumOnlineServers };
}

/** @param players number of players for whom the network is planned */
function createdWords({ templates, ram, maxOnlinePlayers: limit }: CreatedNetwork, players: number): string {
  const table = formatTable(
    ['TEMPLATE', 'NAME', 'SOFTWARE', 'HEAP', 'SERVICES AT MOST'],
    templates.map(({ id, name, maxJvmMemory, maximumOnlineServers, ...choice }) => [
      ...[id, name, softwareName(choice), `${maxJvmMemory} MB`, String(maximumOnlineServers)],
    ]),
  );
  const start =
    ram.neededMb > ram.freeMb
      ? `The first services need ${ram.neededMb} MB RAM, and ${ram.freeMb} MB are free: the others wait for room or for a cloud node.`
      : 'Their first services are starting.';
  const admits =
    players > limit
      ? `\nThe network admits ${limit} players. More can join after you raise max_online_players.`
      : '';
  return `${table}\n\n${start} \`overworld-master status\` shows them, and the address to join.${admits}`;
}
