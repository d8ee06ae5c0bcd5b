import { describe, expect, it } from 'vitest';
import { runtimeWithLog } from '#master/control/services/logs.ts';

/** A keeper with the log of lobby-1, which has ended, and a service that runs. */
function parts(): Parameters<typeof runtimeWithLog>[1] {
  const known = {
    records: { get: (id: string) => (id === 'lobby-2' ? { node: 'node-1' } : undefined) },
    keeper: { name: 'keeper', tailLog: (id: string) => Promise.resolve(id === 'lobby-1' ? ['bye'] : []) },
    runtimeOf: (node: string) => ({ name: node }),
  };
  // Only this much is asked for.
  return known as unknown as Parameters<typeof runtimeWithLog>[1];
}

describe('runtimeWithLog', () => {
  it('is that of its node while it runs', async () => {
    expect(await runtimeWithLog('lobby-2', parts())).toMatchObject({ name: 'node-1' });
  });

  it('is the keeper of all logs once it has ended, though its node is gone', async () => {
    expect(await runtimeWithLog('lobby-1', parts())).toMatchObject({ name: 'keeper' });
  });

  it('is none of a service that nobody has heard of', async () => {
    await expect(runtimeWithLog('lobby-9', parts())).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
  });
});
