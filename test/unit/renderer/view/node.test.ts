import { describe, expect, it } from 'vitest';
import { drainConsequence, moveRefusal, releaseConsequence, toRentalWords } from '#renderer/view/node.ts';
import { aNode, aRental, aService, AT } from '#test/support/app/models.ts';

describe('moveRefusal (which actions are possible for a node)', () => {
  it.each([
    { state: 'READY', may: ['cordon', 'drain'] },
    { state: 'CORDONED', may: ['drain', 'resume'] },
    { state: 'DRAINING', may: ['cordon', 'resume'] },
    { state: 'BOOTING', may: [] },
    { state: 'LOST', may: [] },
  ] as const)('allows these actions for a node in the state $state: $may', ({ state, may }) => {
    const moves = (['cordon', 'drain', 'resume'] as const).filter(
      (to) => moveRefusal({ state, backoff: null }, to) === undefined,
    );
    expect(moves).toEqual(may);
  });
});

describe('toRentalWords (describes the cost of a node)', () => {
  it('contains the hourly cost and the remaining paid time in minutes', () => {
    const node = aNode('node-1', { rental: aRental() });
    expect(toRentalWords(node, AT + 5_000_500)).toBe('cpx32 · €0.031 / h · paid for 37 m more');
    expect(toRentalWords(node, AT + 7_300_000)).toBe('cpx32 · €0.031 / h · paid hour is over');
    expect(toRentalWords(aNode('local'), AT)).toBeNull();
  });
});

describe('drainConsequence (describes the effect of draining a node)', () => {
  const here = { node: 'node-1' };
  const used = { ...here, state: 'IN_USE', players: { online: 20, max: 50 } } as const;

  it.each([
    ['counts no services', [aService('lobby', 1)], 'No service is on it.'],
    [
      'counts services without players',
      [aService('lobby', 1, here)],
      '1 service is on it, none of them in use',
    ],
    [
      'counts services in use and their players',
      [aService('lobby', 1, here), aService('lobby', 2, used), aService('lobby', 3, used)],
      '3 services are on it; 2 of them are in use by 40 players. Those in use finish first: no player is disconnected.',
    ],
    [
      'counts players once if their proxy is on the node, too',
      [aService('lobby', 1, used), aService('proxy', 1, used)],
      '2 of them are in use by 20 players',
    ],
  ])('%s', (_case, services, want) => {
    expect(
      drainConsequence({ id: 'node-1' }, { services, proxies: new Set(['proxy']), persistent: new Set() }),
    ).toContain(want);
  });
});

describe('releaseConsequence (describes the effect of releasing a lost node)', () => {
  const lost = aNode('node-1', { state: 'LOST' });
  const here = [aService('lobby', 1, { node: 'node-1' }), aService('survival', 1, { node: 'node-1' })];

  it('says that the server is deleted at once if no data waits to be saved', () => {
    const world = { services: here, proxies: new Set<string>(), persistent: new Set<string>() };
    expect(releaseConsequence(lost, world, AT)).toBe(
      'The master cannot reach it. Its server is deleted at the provider now, with everything on its disk. Its services start on other nodes, from the files of their templates. Everything they wrote is lost, such as worlds and plugin data. Not even their crash reports and logs can be kept.',
    );
  });

  it('says that the node is kept until an admin accepts the loss of unsaved data', () => {
    const world = { services: here, proxies: new Set<string>(), persistent: new Set(['survival']) };
    const words = releaseConsequence(lost, world, AT);
    expect(words).not.toContain('now');
    expect(words).toContain(
      'once the data of 1 service is saved, or you accept its loss in the tab Data of the template',
    );
    expect(words).toContain('Its services start on other nodes, those with such data only then.');
  });

  it('does not count services that are being prepared, which have no data on the node yet', () => {
    const prepared = aService('survival', 2, { node: 'node-1', state: 'PREPARING', pid: null });
    const world = {
      services: [aService('lobby', 1, { node: 'node-1' }), prepared],
      ...{ proxies: new Set<string>(), persistent: new Set(['survival']) },
    };
    expect(releaseConsequence(lost, world, AT)).toContain('deleted at the provider now');
    expect(releaseConsequence(lost, world, AT)).toContain('Its service starts on another node');
    const only = { ...world, services: [prepared] };
    expect(releaseConsequence(lost, only, AT)).not.toContain('is lost');
  });
});
