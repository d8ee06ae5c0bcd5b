import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hasOwnNetworks, ownNetwork } from '../../../build/scripts/tests/own-network.mjs';
import { run } from '../../../build/scripts/run.mjs';
import { freePort } from '#test/support/free-port.ts';

const listen = (port: number) => `
  require('node:net').createServer().listen(${port}, '127.0.0.1', () => process.exit(0))
    .on('error', ({ code }) => { console.log(code); process.exit(1); });`;

describe.runIf(hasOwnNetworks())('the network namespace of the tests', () => {
  it('has free ports even if the same ports are in use outside of it', async () => {
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const beside = await run(process.execPath, ['-e', listen(port)]);
    const inside = await run(ownNetwork, [process.execPath, '-e', listen(port)]);
    taken.close();
    expect(beside).toEqual({ code: 1, output: 'EADDRINUSE\n' });
    expect(inside).toEqual({ code: 0, output: '' });
  });

  it('is used by this test file', () => {
    expect(Object.keys(networkInterfaces())).toEqual(['lo']);
    expect(process.env['OVERWORLD_OUTER_NETWORK']).toMatch(/^\/proc\/\d+\/ns\/net$/);
  });

  it('exits with the exit code of the command that runs in it', async () => {
    expect(await run(ownNetwork, ['sh', '-c', 'exit 7'])).toEqual({ code: 7, output: '' });
  });
});
