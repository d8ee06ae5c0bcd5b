/** Console commands of the most common servers, without slash. `<player>` marks where a player name belongs. */
const VANILLA = [
  'advancement grant <player>',
  'advancement revoke <player>',
  'ban <player>',
  'ban-ip',
  'banlist',
  'bossbar',
  'clear <player>',
  'datapack list',
  'defaultgamemode',
  'deop <player>',
  'difficulty easy',
  'difficulty hard',
  'difficulty normal',
  'difficulty peaceful',
  'effect give <player>',
  'experience add <player>',
  'fill',
  'forceload',
  'function',
  'gamemode adventure <player>',
  'gamemode creative <player>',
  'gamemode spectator <player>',
  'gamemode survival <player>',
  'gamerule',
  'give <player>',
  'help',
  'kick <player>',
  'kill <player>',
  'list',
  'list uuids',
  'locate',
  'msg <player>',
  'op <player>',
  'pardon <player>',
  'pardon-ip',
  'playsound',
  'reload',
  'save-all',
  'save-all flush',
  'save-off',
  'save-on',
  'say',
  'scoreboard',
  'seed',
  'setidletimeout',
  'setworldspawn',
  'spawnpoint <player>',
  'stop',
  'summon',
  'tag <player>',
  'team',
  'teleport <player>',
  'tell <player>',
  'tellraw <player>',
  'tick query',
  'time add',
  'time query daytime',
  'time set day',
  'time set night',
  'title <player>',
  'tp <player>',
  'transfer',
  'weather clear',
  'weather rain',
  'weather thunder',
  'whitelist add <player>',
  'whitelist list',
  'whitelist off',
  'whitelist on',
  'whitelist reload',
  'whitelist remove <player>',
  'worldborder',
  'xp add <player>',
];
const PAPER = [
  'mspt',
  'paper dumpplugins',
  'paper entity list',
  'paper heap',
  'paper reload',
  'paper version',
  'plugins',
  'restart',
  'spark profiler start',
  'spark profiler stop',
  'spark tps',
  'spigot reload',
  'timings paste',
  'tps',
  'version',
];
const BUNGEECORD = [
  'alert',
  'alertraw',
  'bungee',
  'end',
  'find <player>',
  'glist',
  'greload',
  'ip <player>',
  'perms',
  'send <player>',
  'server',
];
const VELOCITY = [
  'glist all',
  'send <player>',
  'server',
  'shutdown',
  'velocity dump',
  'velocity info',
  'velocity plugins',
  'velocity reload',
];

/** Returns the commands to offer for a game server or a proxy, in alphabetical order and without duplicates. */
export function knownCommands(isProxy: boolean): readonly string[] {
  return [...new Set(isProxy ? [...BUNGEECORD, ...VELOCITY] : [...VANILLA, ...PAPER])].sort();
}

/** Sources for completing a command line. */
export interface CompletionSources {
  /** See {@link knownCommands}. */
  readonly commands: readonly string[];
  /** Lines that the person has sent, oldest first. */
  readonly history: readonly string[];
  /** Player names, the most likely last. */
  readonly players: readonly string[];
}

const PLAYER = '<player>';
const MOST_OFFERED = 50;

/**
 * Returns completions of the typed text, the most likely first: lines that the person has sent, then known commands,
 * then player names for the last word. Empty if nothing is typed or nothing matches.
 */
export function completions(
  typed: string,
  { commands, history, players }: CompletionSources,
): readonly string[] {
  if (typed.trim() === '') return [];
  const low = typed.toLowerCase();
  const found = new Set<string>();
  for (const line of history.toReversed()) if (fits(line, low)) found.add(line);
  for (const command of commands) {
    const words = command.replace(` ${PLAYER}`, '');
    // The space at the end lets the person type the player's name immediately.
    const line = command.endsWith(PLAYER) ? `${words} ` : words;
    if (fits(line, low)) found.add(line);
  }
  const lastWord = /(^|.*\s)(\S*)$/.exec(typed);
  const [before = '', begun = ''] = [lastWord?.[1], lastWord?.[2]];
  if (before !== '') {
    for (const name of players.toReversed()) {
      if (fits(name, begun.toLowerCase())) found.add(`${before}${name}`);
    }
  }
  return [...found].slice(0, MOST_OFFERED);
}

function fits(line: string, low: string): boolean {
  return line.length > low.length && line.toLowerCase().startsWith(low);
}
