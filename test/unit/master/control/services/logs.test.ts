import { describe, expect, it } from 'vitest';
import { runtimeWithLog } from '#master/control/services/logs.ts';

/** Returns a keeper with the log of lobby-1, which has exited, and a running service. */
function parts(): Parameters<typeof runtimeWithLog>[1] {
  const known = {
    records: { get: (id: string) => (id === 'lobby-2' ? { node: 'node-1' } : undefined) },
    keeper: { name: 'keeper', tailLog: (id: string) => Promise.resolve(id === 'lobby-1' ? ['bye'] : []) },
    runtimeOf: (node: string) => ({ name: node }),
  };
  // Only these parts are used.
  return known as unknown as Parameters<typeof runtimeWithLog>[1];
}

describe('runtimeWithLog', () => {
  it('returns the runtime of its node while the service runs', async () => {
    expect(await runtimeWithLog('lobby-2', parts())).toMatchObject({ name: 'node-1' });
  });

  it('returns the keeper of all logs once it has exited, even if its node is removed', async () => {
    expect(await runtimeWithLog('lobby-1', parts())).toMatchObject({ name: 'keeper' });
  });

  it('rejects a service that is unknown', async () => {
    await expect(runtimeWithLog('lobby-9', parts())).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
  });
});
