import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HetznerApi } from '#master/nodes/hetzner/api/hetzner-api.ts';
import { FIRST_HOST_KEY, HetznerFixture } from '#test/support/nodes/hetzner-fixture.ts';

/** Starts an API that answers each list request with this body, for all pages. */
async function apiWith(body: object): Promise<{ readonly api: HetznerApi; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    // Stop a client that requests pages endlessly, so that the test fails instead of hanging.
    if (asked > 20) response.destroy();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const log = { warn: () => undefined, debug: () => undefined };
  const times = { timeoutMs: 1_000, retryMs: 1 };
  const api = new HetznerApi({ token: 'token', baseUrl: `http://127.0.0.1:${port}`, ...times, log });
  onTestFinished(() => api.requester.close());
  return { api, asked: () => asked };
}

describe('a faulty list of several pages from the provider', () => {
  it.each([1, 0, -3])(
    'is rejected without further requests if it names page %i as the page after page 1',
    async (next_page) => {
      const { api, asked } = await apiWith({ firewalls: [], meta: { pagination: { next_page } } });
      await expect(api.firewalls()).rejects.toMatchObject({ outcome: 'unknown', code: 'unreadable' });
      expect(asked()).toBe(1);
    },
  );
});

describe('a system clock that was set back', () => {
  it('does not delay the removal of a node whose order got no answer', async () => {
    const fixture = await HetznerFixture.open();
    onTestFinished(() => fixture.close());
    const machine = {
      ...{ node: 'node-1', name: 'ow-1234abcd-node-1', server: null, phase: 'ordering', status: 'starting' },
      ...{ address: null, type: 'cpx22', location: 'nbg1', since: fixture.fake.clock.now() + 3_600_000 },
      ...{
        hourlyPrice: 0.01,
        ramMb: 3_676,
        cores: 2,
        sshPort: 22,
        hostKeys: [FIRST_HOST_KEY],
        readyAt: null,
      },
    };
    const journal = { nextNumber: 2, machines: [machine], failures: [], masters: [] };
    await writeFile(
      fixture.statePath,
      JSON.stringify({ ...journal, areMastersDoubted: false, tokenMark: null }),
    );
    await fixture.start({ wait: false });
    await fixture.machines.release('node-1', 'rules');
    expect(fixture.machines.all()).toEqual([]);
  });
});
