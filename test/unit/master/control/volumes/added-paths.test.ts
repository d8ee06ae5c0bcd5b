import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { AddedPaths, addedPaths } from '#master/control/volumes/added-paths.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

const ID = 'survival-1';

/** Returns a service that was started with these persistent paths. */
function started(persistentPaths: readonly string[], change: Partial<ServiceRecord> = {}): ServiceRecord {
  const fields = { id: ID, template: 'survival', requestedAt: 1, cause: 'test', manual: false };
  const placed = startedFrom(serviceSpec({ id: ID, persistentPaths }));
  return Object.assign(newRecord(fields), { node: 'node-1', placed, startedAt: 5, ...change });
}

/** Returns the documents of a master whose template `survival` has these persistent paths. */
const configOf = (persistentPaths: readonly string[]) =>
  ({ templates: new Map([['survival', { state: { config: { persistentPaths } } }]]) }) as never;

/**
 * Creates the part of a master under test. With `hasSaves`, the volume of the service has saves of an earlier world.
 */
function aMaster(record: ServiceRecord, hasSaves = false) {
  const world = { now: 1_000_000, isReachable: true, calls: [] as string[] };
  const volume = {
    ...{ attachment: null, hasSaves },
    attach: (service: string, node: string) => Promise.resolve(world.calls.push(`attach ${service} ${node}`)),
  };
  const parts = {
    config: configOf(['world*/', 'plugins/']),
    log: pino({ level: 'silent' }),
    records: { all: [record] },
    volumes: { make: () => Promise.resolve(volume) },
    runtimeOf: (node: string) => ({
      addPersistentPaths: (id: string, paths: readonly string[]) => {
        world.calls.push(`${node} ${id} ${paths.join()}`);
        return world.isReachable ? Promise.resolve() : Promise.reject(new Error('unreachable'));
      },
    }),
  };
  const added = new AddedPaths(parts as never, () => world.now);
  const look = async (answered: readonly string[] = ['node-1']): Promise<string[]> => {
    added.carryOn(new Set(answered));
    await added.settled();
    return world.calls.splice(0);
  };
  return { world, look };
}

describe('the persistent paths that a template got after the start of a service', () => {
  it('are the current paths of the template that the service did not have at its start', () => {
    const config = configOf(['world*/', 'plugins/']);
    expect(addedPaths(started([]), { config })).toEqual(['world*/', 'plugins/']);
    expect(addedPaths(started(['world*/', 'old/']), { config })).toEqual(['plugins/']);
    expect(addedPaths(started(['plugins/', 'world*/']), { config })).toEqual([]);
    expect(addedPaths(started([], { placed: null }), { config })).toEqual(['world*/', 'plugins/']);
    expect(addedPaths(started([], { template: 'deleted' }), { config })).toEqual([]);
  });

  it('are added once to the paths of the service', async () => {
    const record = started(['world*/']);
    const { look } = aMaster(record);
    expect(await look()).toEqual(['attach survival-1 node-1', 'node-1 survival-1 plugins/']);
    expect(record.placed?.values.persistentPaths).toEqual(['world*/', 'plugins/']);
    expect(await look()).toEqual([]);
  });

  it('are added to the service, but a volume that has saves of an earlier world is not attached', async () => {
    const { look } = aMaster(started([]), true);
    expect(await look()).toEqual(['node-1 survival-1 world*/,plugins/']);
  });

  it('are added to the service only while its node answers, and after a failure again a minute later', async () => {
    const record = started([]);
    const { world, look } = aMaster(record);
    expect(await look([])).toEqual([]);
    world.isReachable = false;
    expect(await look()).toEqual(['attach survival-1 node-1', 'node-1 survival-1 world*/,plugins/']);
    expect(record.placed?.values.persistentPaths).toEqual([]);
    world.isReachable = true;
    expect(await look()).toEqual([]);
    world.now += 60_000;
    expect(await look()).toHaveLength(2);
    expect(record.placed?.values.persistentPaths).toEqual(['world*/', 'plugins/']);
  });

  it('are not added to services that stop or were not started', async () => {
    const stopping = { cause: 'test', kill: false } as never;
    for (const change of [{ stopping }, { startedAt: null }, { node: null }, { placed: null }])
      expect(await aMaster(started([], change)).look()).toEqual([]);
  });
});
