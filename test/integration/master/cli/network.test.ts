import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { cliOf } from '#test/support/master/command-line.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { FakeCatalogue } from '#test/support/software/fake-catalogue.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fake: FakeCatalogue;
let master: MasterProcess;
let out: string;
let err: string;

beforeEach(async () => {
  fake = await FakeCatalogue.start();
  onTestFinished(() => fake.close());
  const args = ['--software-mirror', fake.url, '--contact', 'admin@example.org'];
  master = new MasterProcess(temporaryFolder(), { from: 27_350, to: 27_359 }, args);
  await master.start();
  onTestFinished(() => master.shutDown());
});

/** Runs `overworld-master network create`, and returns its exit code. */
async function create(...args: readonly string[]): Promise<number> {
  const printed = await cliOf(master.data)('network', 'create', ...args);
  ({ out, err } = printed);
  return printed.code;
}

const templates = () => master.call('templates.list', {});

describe('the command network create', () => {
  it('creates a proxy, a lobby and a game mode of practice servers, which start without internet access', async () => {
    expect(await create('--players', '40')).toBe(0);
    expect(out).toMatch(/TEMPLATE +NAME +SOFTWARE/);
    expect(out).toContain('overworld-master status');
    expect(out).not.toContain('max_online_players');
    expect(
      (await templates()).map(({ id, config }) => [id, config.isProxy, config.maximumOnlineServers]),
    ).toEqual([
      ['game', false, 3],
      ['lobby', false, 2],
      ['proxy', true, 2],
    ]);
    expect(fake.requests).toEqual([]);
    await waitFor(
      async () =>
        (await master.call('services.list', {})).services.filter(({ state }) => state === 'RUNNING')
          .length === 3,
      { timeoutMs: 100_000, what: 'the first services to run' },
    );
  });

  it('accepts names, memory sizes and several game modes, and chooses template ids that are not in use', async () => {
    await master.call('templates.create', { id: 'lobby', config: { name: 'Old', isProxy: false } });
    const games = ['--game', 'Bed Wars', '--game', 'Sky Wars', '--game-memory', '96', '--lobby-memory', '80'];
    expect(await create('--proxy', 'Edge', ...games, '--json')).toBe(0);
    const made = JSON.parse(out) as {
      templates: { id: string; maxJvmMemory: number }[];
      ram: object;
      maxOnlinePlayers: number;
    };
    expect(made.maxOnlinePlayers).toBe(100);
    expect(made.templates.map(({ id, maxJvmMemory }) => [id, maxJvmMemory])).toEqual([
      ['edge', 128],
      ['lobby-2', 80],
      ['bed-wars', 96],
      ['sky-wars', 96],
    ]);
    expect(made.ram).toEqual({
      neededMb: 128 + 80 + 96 + 96 + 4 * 375,
      freeMb: expect.any(Number) as number,
    });
  });

  it('says that the network admits fewer players than it is planned for', async () => {
    expect(await create('--players', '101')).toBe(0);
    expect(out).toContain(
      'The network admits 100 players. More can join after you raise max_online_players.',
    );
  });

  it('asks for the acceptance of the EULA before it downloads Paper, and creates a network with Velocity', async () => {
    expect(await create('--software', 'paper')).toBe(1);
    expect(err).toMatch(/EULA/);
    expect([fake.requests, await templates()]).toEqual([[], []]);
    const small = ['--proxy-memory', '128', '--lobby-memory', '128', '--game-memory', '128'];
    expect(await create('--software', 'paper', '--minecraft', '1.21.11', '--accept-eula', ...small)).toBe(0);
    // The master reads the software of a template when the template's files become a revision.
    await waitFor(async () => (await templates()).every(({ software }) => software !== null), {
      what: 'the revisions of the templates',
    });
    expect(
      (await templates()).map(({ id, software }) => [id, software?.software, software?.version]),
    ).toEqual([
      ['game', 'paper', '1.21.11'],
      ['lobby', 'paper', '1.21.11'],
      ['proxy', 'velocity', expect.any(String) as string],
    ]);
    const events = await master.call('activity.list', { limit: 50, kinds: ['template.eula-accepted'] });
    expect(events.map(({ template }) => template).sort()).toEqual(['game', 'lobby']);
    expect(fake.requests.every(({ agent }) => agent.endsWith('; admin@example.org)'))).toBe(true);
  });

  it('`software update` says that it cannot tell whether there is a newer build', async () => {
    const small = ['--proxy-memory', '128', '--lobby-memory', '128', '--game-memory', '128'];
    const paper = ['--software', 'paper', '--minecraft', '1.21.11', '--accept-eula'];
    expect(await create(...paper, ...small)).toBe(0);
    const areRead = () =>
      waitFor(async () => (await templates()).every(({ software }) => software !== null), {
        what: 'the revisions of the templates',
      });
    await areRead();
    const update = (...args: readonly string[]) => cliOf(master.data)('software', 'update', ...args);
    expect(await update('lobby')).toMatchObject({
      code: 0,
      out: 'There is no newer build for template lobby.\n',
    });
    expect(await update('loby')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('There is no template "loby"') as unknown,
    });
    // A restarted master knows no earlier answer of the publisher.
    await master.terminate();
    fake.trouble = (_, response) => {
      response.statusCode = 503;
      response.end();
      return true;
    };
    await master.start();
    await areRead();
    const one = await update('lobby');
    expect([one.code, one.out]).toEqual([1, '']);
    expect(one.err).toContain('503');
    const all = await update();
    expect([all.code, all.out]).toEqual([1, 'There are no newer builds.\n']);
    expect(all.err).toMatch(/^Not known for game, lobby: .*503.*\nNot known for proxy: .*503.*\n$/);
  });

  it.each([
    [['--game', '...'], /letter from a to z/],
    [['--lobby', ''], /name/],
    [['--players', '0'], /1 to/],
    [['--lobby-memory', '10'], /64 to/],
    [['--software', 'bukkit'], /paper/],
  ])('rejects %j as wrong usage, and creates nothing', async (args, message) => {
    expect(await create(...args)).toBe(2);
    expect(err).toMatch(message);
    expect(await templates()).toEqual([]);
  });
});
