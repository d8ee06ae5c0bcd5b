import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { HandOvers } from '#master/control/services/hand-overs.ts';
import type { HandOverFile, HandOverRefresh } from '#master/runtime/runtime.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { noLink } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

const DONE: HandOverRefresh = { written: [], failed: [] };

/** Returns a service that this master has adopted on a node. */
function adopted(id: string, node: string, change: Partial<ServiceRecord> = {}): ServiceRecord {
  const fields = { id, template: 'lobby', requestedAt: 1, cause: 'test', manual: false };
  const placed = startedFrom(serviceSpec({ id, plugin: '0.2.0' }));
  return Object.assign(newRecord(fields), { node, placed, startedAt: 5, adoptedAt: 9, ...change });
}

/** Creates the part of a master under test. `respond` answers for the nodes. */
function aMaster(...all: ServiceRecord[]) {
  const requests: string[] = [];
  const world = {
    now: 1_000_000,
    events: [] as string[],
    respond: (() => Promise.resolve(DONE)) as (node: string) => Promise<HandOverRefresh>,
  };
  const parts = {
    log: pino({ level: 'silent' }),
    records: { all },
    link: { handOver: (service: string) => ({ ...noLink().handOver(service), host: '203.0.113.8' }) },
    events: {
      add: ({ message, cause }: Record<string, string>) => world.events.push(`${message}: ${cause}`),
    },
    runtimeOf: (node: string) => ({
      refreshHandOver: (files: readonly HandOverFile[]) => {
        for (const { content } of files) expect(content.toString()).toContain('host=203.0.113.8');
        requests.push(`${node}: ${files.map(({ id }) => id).join()}`);
        return world.respond(node);
      },
    }),
  };
  const handOvers = new HandOvers(parts as never, () => world.now);
  const look = async (answered: readonly string[], silent: readonly string[] = []): Promise<string[]> => {
    handOvers.carryOn({ answered: new Set(answered), silent: new Set(silent) });
    await handOvers.settled();
    return requests.splice(0);
  };
  return { world, look, handOvers, requests };
}

describe("the plugin's connection file of an adopted service", () => {
  it('is refreshed once, with one request for all services on a node', async () => {
    const { look } = aMaster(
      adopted('lobby-1', 'node-1'),
      adopted('lobby-2', 'node-2'),
      adopted('lobby-3', 'node-1'),
    );
    expect(await look(['node-1'])).toEqual(['node-1: lobby-1,lobby-3']);
    expect(await look(['node-1', 'node-2'])).toEqual(['node-2: lobby-2']);
    expect(await look(['node-1', 'node-2'])).toEqual([]);
  });

  it('is not refreshed if the service has no plugin, was started by this master, or was not observed', async () => {
    const { look } = aMaster(
      adopted('lobby-1', 'node-1', { placed: startedFrom(serviceSpec()) }),
      adopted('lobby-2', 'node-1', { adoptedAt: null }),
      adopted('lobby-3', 'node-1', { startedAt: null }),
      adopted('lobby-4', 'node-1', { node: null }),
    );
    expect(await look(['node-1'])).toEqual([]);
  });

  it('is refreshed again if the service is adopted again', async () => {
    const record = adopted('lobby-1', 'node-1');
    const { look } = aMaster(record);
    await look(['node-1']);
    record.adoptedAt = 10;
    expect(await look(['node-1'])).toEqual(['node-1: lobby-1']);
  });

  it('is not requested again while an earlier request to the node is in progress', async () => {
    const { world, look, handOvers, requests } = aMaster(adopted('lobby-1', 'node-1'));
    let finish: (result: HandOverRefresh) => void = () => undefined;
    world.respond = () => new Promise((resolve) => (finish = resolve));
    const first = look(['node-1']);
    handOvers.carryOn({ answered: new Set(['node-1']), silent: new Set() });
    expect(requests).toHaveLength(1);
    finish(DONE);
    await first;
  });

  it('after a failure, is requested again once the node answers again, or after one minute', async () => {
    const { world, look } = aMaster(adopted('lobby-1', 'node-1'), adopted('lobby-2', 'node-2'));
    world.respond = (node) =>
      node === 'node-1'
        ? Promise.reject(new OverworldError('NODE_UNREACHABLE', { node, why: 'the connection was lost' }))
        : Promise.resolve(DONE);
    expect(await look(['node-1', 'node-2'])).toEqual(['node-1: lobby-1', 'node-2: lobby-2']);
    expect(await look(['node-1', 'node-2'])).toEqual([]);
    expect(await look(['node-2'], ['node-1'])).toEqual([]);
    expect(await look(['node-1', 'node-2'])).toEqual(['node-1: lobby-1']);
    world.now += 59_999;
    expect(await look(['node-1'])).toEqual([]);
    world.now += 1;
    world.respond = () => Promise.resolve(DONE);
    expect(await look(['node-1'])).toEqual(['node-1: lobby-1']);
    world.now += 60_000;
    expect(await look(['node-1'])).toEqual([]);
  });

  it('is refreshed again only after a failure, which is reported once', async () => {
    const { world, look } = aMaster(adopted('lobby-1', 'node-1'), adopted('lobby-2', 'node-1'));
    const failed = [
      { id: 'lobby-2', why: 'Is a directory' },
      { id: 'arena-7', why: 'a node may name any service' },
    ];
    world.respond = () => Promise.resolve({ written: ['lobby-1'], failed });
    await look(['node-1']);
    world.now += 60_000;
    expect(await look(['node-1'])).toEqual(['node-1: lobby-2']);
    expect(world.events).toEqual([
      "The plugin in lobby-2 may not find this master: the file with the master's address could not be replaced yet: Is a directory",
    ]);
  });
});
