import { describe, expect, it } from 'vitest';
import { runtimeWithLog } from '#master/control/services/logs.ts';

/** Returns the kept log of lobby-1, which has exited, and the running service lobby-2. */
function parts(): Parameters<typeof runtimeWithLog>[1] {
  const known = {
    records: { get: (id: string) => (id === 'lobby-2' ? { node: 'node-1' } : undefined) },
    keeper: { name: 'keeper', tailLog: (id: string) => Promise.resolve(id === 'lobby-1' ? ['bye'] : []) },
    runtimeOf: (node: string) => ({ name: node }),
  };
  // runtimeWithLog uses only these fields.
  return known as unknown as Parameters<typeof runtimeWithLog>[1];
}

describe('runtimeWithLog (returns where the log of a service is stored)', () => {
  it('returns the runtime of the node while the service runs', async () => {
    expect(await runtimeWithLog('lobby-2', parts())).toMatchObject({ name: 'node-1' });
  });

  it('returns the store of kept logs after the service has exited, even if its node no longer exists', async () => {
    expect(await runtimeWithLog('lobby-1', parts())).toMatchObject({ name: 'keeper' });
  });

  it('rejects an unknown service', async () => {
    await expect(runtimeWithLog('lobby-9', parts())).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
  });
});
