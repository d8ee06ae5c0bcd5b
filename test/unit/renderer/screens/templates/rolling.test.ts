import { describe, expect, it } from 'vitest';
import {
  affectedWords,
  deleteTitle,
  deleteWays,
  leavingWords,
  outdatedWords,
  rollingWords,
  templateState,
} from '#renderer/screens/templates/facts.ts';
import { partProblem, toRemotePath, withPicked } from '#renderer/screens/templates/entries/file-entries.ts';
import { outdatedOf, rollingOf } from '#renderer/screens/templates/rolling-restarts.svelte.ts';
import { aService, aTemplate, AT } from '#test/support/app/models.ts';

const LOBBY = { persistentPaths: [] };
const SURVIVAL = { persistentPaths: ['world/'] };
const retiring = { since: AT, cause: 'requested by anna' };

describe('the texts about a rolling restart', () => {
  it('contain the number of outdated services that are neither being replaced nor stopped', () => {
    const services = [
      aService('lobby', 1, { outdated: ['maxPlayers'] }),
      aService('lobby', 2, { outdated: ['maxPlayers', 'files'] }),
      aService('lobby', 3, { outdated: ['files'], retiring }),
      aService('lobby', 4, { outdated: ['files'], stopping: { since: AT, cause: '', restart: true } }),
      aService('lobby', 5),
    ];
    const outdated = outdatedOf(services);
    expect(outdated.map(({ id }) => id)).toEqual(['lobby-1', 'lobby-2']);
    expect(outdatedWords(outdated, { persistentPaths: [] }).title).toBe(
      '2 services run with older files and values',
    );
    expect(outdatedWords(outdated, { persistentPaths: [] }).text).toContain(
      'Changed since their start: maxPlayers, files.',
    );
  });

  it('say which data a restart deletes, even for services that keep some data', () => {
    const words = (persistentPaths: string[]): string | undefined =>
      affectedWords([aService('lobby', 1)], 1, { persistentPaths });
    expect(words([])).toBe(
      '1 service keeps the old values until it starts again. A new start deletes what it wrote.',
    );
    expect(words(['world/'])).toContain('A new start deletes what it wrote outside of persistent paths.');
  });

  it('say whether a service stops before or after its replacement is ready', () => {
    const outdated = [aService('lobby', 1, { outdated: ['files'] })];
    expect(outdatedWords(outdated, LOBBY).text).toContain(
      'each stops once a new service is ready and no player is on it.',
    );
    expect(outdatedWords(outdated, SURVIVAL).text).toContain(
      'each stops once no player is on it, and then starts again with its saved data.',
    );
    const rolling = rollingOf('lobby', [aService('lobby', 1, { retiring })]);
    if (rolling === null) throw new Error('none is seen');
    expect(rollingWords(rolling, LOBBY).text).toBe('Each stops as soon as a new service is ready.');
    expect(rollingWords(rolling, SURVIVAL).text).toBe(
      'Each stops, and then starts again with its saved data.',
    );
  });

  it('contain the number of replaced services, or of remaining services if the total is unknown', () => {
    const services = [
      aService('lobby', 1, { retiring, players: { online: 3, max: 20 } }),
      aService('lobby', 2, { retiring }),
      aService('lobby', 3),
    ];
    const rolling = rollingOf('lobby', services);
    if (rolling === null) throw new Error('none is seen');
    expect(rollingWords(rolling, LOBBY).title).toBe('Rolling restart: 2 services left');
    expect(rollingWords({ ...rolling, total: 4 }, LOBBY).title).toBe(
      'Rolling restart: 2 of 4 services replaced',
    );
    expect(rollingWords(rolling, LOBBY).text).toBe('1 service with 3 players stops once no player is on it.');
    expect(rollingOf('lobby', [aService('lobby', 3)])).toBeNull();
  });
});

describe('the texts about the deletion of a template', () => {
  it('contain the numbers of files, services and players', () => {
    expect(deleteTitle(aTemplate('lobby'))).toBe('Delete template lobby and its 214 files');
    const ways = deleteWays({ all: 4, up: 4, players: 12, slots: 80 });
    expect(ways.refuse).toContain('4 services');
    expect(ways.drain).toContain('12 players now');
    expect(ways.stop).toBe(
      '4 services are stopped now. 12 players are moved to a fallback of another template while it has room, or disconnected.',
    );
    expect(leavingWords({ all: 1, up: 1, players: 1, slots: 20 })).toContain(
      '1 service left, 1 player still on it',
    );
  });

  it('say that the template is being deleted, instead of any other state', () => {
    const leaving = { since: AT, cause: 'requested by anna' };
    expect(templateState(aTemplate('lobby', {}, { leaving, held: true }))).toBe('leaving');
  });
});

describe('the dialog that chooses a shared file for a template', () => {
  const entry = { path: '', destination: '', directory: '' };

  it.each([
    [
      { path: '/files/maps/arena', folder: true },
      { path: 'maps/arena', destination: 'arena', directory: true },
    ],
    [
      { path: '/files/eula.txt', folder: false },
      { path: 'eula.txt', destination: 'eula.txt', directory: '' },
    ],
  ])('sets source, destination and the directory flag for %j', (picked, want) => {
    expect(withPicked(entry, picked)).toEqual(want);
  });

  it('keeps a destination that the user has edited, and corrects the directory flag', () => {
    const written = { path: 'old', destination: 'plugins/', directory: true };
    expect(withPicked(written, { path: '/files/a.jar', folder: false })).toEqual({
      path: 'a.jar',
      destination: 'plugins/',
      directory: false,
    });
  });

  it.each([
    ['', '/files'],
    ['/', '/files'],
    ['maps/a/', '/files/maps/a'],
    ['/maps', '/files/maps'],
  ])('opens at the current source "%s"', (source, want) => {
    expect(toRemotePath(source)).toBe(want);
  });

  it.each([
    ['path', '../secrets', 'Must not contain ".."'],
    ['destination', '/etc', 'Must be relative, without / at the beginning'],
    ['destination', 'a\\b', 'Write / instead of \\'],
    ['path', '', 'Is missing'],
    ['path', 'maps/a', undefined],
  ] as const)('shows the problem of the %s "%s": %s', (part, value, want) => {
    expect(partProblem(part, value)).toBe(want);
  });
});
