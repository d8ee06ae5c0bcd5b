import { describe, expect, it } from 'vitest';
import { completions, knownCommands } from '#renderer/view/console/console-commands.ts';
import {
  findLines,
  markHits,
  ownTime,
  joinedPlayer,
  toTimePrefix,
} from '#renderer/view/console/console-text.ts';

const line = (text: string) => ({ text });

describe('the completions for a command in the console', () => {
  const sources = {
    commands: knownCommands(false),
    history: ['say one', 'gamemode creative Ada', 'say two'],
    players: ['Ada', 'Grace'],
  };

  it.each([
    ['are empty for an empty input', '', []],
    ['start with sent lines, newest first', 'say', ['say two', 'say one']],
    ['do not include the typed line itself', 'say two', []],
    [
      'include known commands, with a space if an argument follows',
      'whitelist re',
      ['whitelist reload', 'whitelist remove '],
    ],
    ['ignore case', 'GAMEMODE S', ['gamemode spectator ', 'gamemode survival ']],
    ['offer players for the last word, latest first', 'kick ', ['kick Grace', 'kick Ada']],
    ['offer players with the typed prefix', 'tp ad', ['tp Ada']],
    ['offer no players for the first word', 'Gra', []],
  ])('%s', (_says, typed, want) => expect(completions(typed, sources)).toEqual(want));

  it('include only proxy commands if the service is a proxy', () => {
    const commands = knownCommands(true);
    expect(completions('gli', { commands, history: [], players: [] })).toEqual(['glist', 'glist all']);
    expect(completions('whitelist', { commands, history: [], players: [] })).toEqual([]);
  });
});

describe('the times of lines in the console', () => {
  it.each([
    ['[12:34:56 INFO]: Done', '12:34:56'],
    ['[12:34:56] [Server thread/INFO]: Done', '12:34:56'],
    ['\u001b[m> [12:34:56 INFO]: Done', '12:34:56'],
    ['[2026-01-02 12:34:56] Done', '12:34:56'],
    ['Done at 12:34:56', '12:34:56'],
    ['The next restart will be at 12:34:56', null],
    ['no time at all', null],
  ])('are read from %j: %j', (text, want) => expect(ownTime(line(text))).toBe(want));

  it('are times of arrival only if the line contains no time', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
    expect(toTimePrefix({ text: 'hello', at })).toBe('03:04:05 ');
    expect(toTimePrefix({ text: 'hello', at: null })).toBe('         ');
    expect(toTimePrefix({ text: '[12:34:56 INFO]: hello', at })).toBe('');
  });
});

describe('findLines and markHits (search in the console)', () => {
  const lines = [line('One \u001b[31mwa\u001b[0mrn'), line('two'), line('Warn'), line('warn warn')];

  it('find the visible text, with or without regard to upper case', () => {
    expect(findLines(lines, 'warn', false)).toEqual([0, 2, 3]);
    expect(findLines(lines, 'warn', true)).toEqual([0, 3]);
    expect(findLines(lines, '', false)).toEqual([]);
  });

  it('mark each match, and preserve the whole text', () => {
    const pieces = markHits('a Warn warn', 'warn', false);
    expect(pieces.filter(({ marked }) => marked).map(({ text }) => text)).toEqual(['Warn', 'warn']);
    expect(pieces.map(({ text }) => text).join('')).toBe('a Warn warn');
    expect(markHits('a Warn warn', 'warn', true).filter(({ marked }) => marked)).toHaveLength(1);
    // The lower case of `İ` is longer than `İ`, so positions in the text and in its lower case differ.
    expect(markHits('İstanbul warn', 'warn', false)).toEqual([{ text: 'İstanbul warn', marked: false }]);
  });
});

describe('joinedPlayer (finds the player who has joined in a log line)', () => {
  it.each([
    ['[12:34:56 INFO]: Ada joined the game', 'Ada'],
    ['[12:34:56 INFO]: Ada_1[/127.0.0.1:5555] logged in with entity id 7', 'Ada_1'],
    ['12:34:56 [INFO] [Grace|/127.0.0.1:5555] <-> InitialHandler has connected', 'Grace'],
    ['12:34:56 [INFO] [/127.0.0.1:5555|Grace] <-> InitialHandler has connected', 'Grace'],
    ['12:34:56 [INFO] [/[0:0:0:0:0:0:0:1]:5555|Grace] <-> InitialHandler has connected', 'Grace'],
    ['12:34:56 [INFO] [Grace,/127.0.0.1:5555] <-> InitialHandler has connected', 'Grace'],
    ['12:34:56 [INFO] [Grace] <-> ServerConnector [lobby-1] has connected', 'Grace'],
    ['12:34:56 [INFO] [/127.0.0.1:5555|Grace] <-> ServerConnector [lobby-1] has connected', 'Grace'],
    ['12:34:56 [INFO] [/127.0.0.1:5555] <-> InitialHandler has connected', null],
    ['12:34:56 [INFO] [/127.0.0.1:5555] <-> InitialHandler has pinged', null],
    ['\u001b[m>\r12:34:56 [INFO] [/127.0.0.1:5555|Grace] <-> InitialHandler has connected', 'Grace'],
    ['[12:34:56 INFO]: [connected player] Linus (/127.0.0.1:5555) has connected', 'Linus'],
    ['[12:34:56 INFO]: [server connection] Linus -> lobby-1 has connected', 'Linus'],
    ['[12:34:56 INFO]: .Bedrock_1 joined the game', '.Bedrock_1'],
    ['[12:34:56 INFO]: Ada (formerly known as Eve) joined the game', 'Ada'],
    ['[12:34:56 INFO]: Ada left the game', null],
  ])('returns the player, or null, for: %s', (text, want) => expect(joinedPlayer(line(text))).toBe(want));
});
