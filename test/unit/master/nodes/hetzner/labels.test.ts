import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromLabels, nodeNumber, serverName, toLabels, withOurs } from '#master/nodes/hetzner/labels.ts';

const CLUSTER = '1234ABCD-0000-4000-8000-000000000001';

/** Valid values of a label (docs/adr/0018). */
const VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const fingerprint = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `SHA256:${Buffer.from(bytes).toString('base64').replace(/=+$/, '')}`);
const marks = fc.record({
  node: fc.integer({ min: 1, max: 999_999 }).map((n) => `node-${n}`),
  readyAt: fc.option(fc.integer({ min: 0, max: 4_000_000_000 }).map((s) => s * 1000)),
  sshPort: fc.integer({ min: 1, max: 65_535 }),
  hostKeys: fc.array(fingerprint, { maxLength: 2 }),
});

describe('the labels of a cloud server', () => {
  it('contain all facts about the node, and only characters that the provider accepts', () => {
    fc.assert(
      fc.property(marks, (given) => {
        const labels = toLabels(CLUSTER, given);
        for (const value of Object.values(labels)) expect(value).toMatch(VALUE);
        expect(fromLabels(labels)).toEqual(given);
      }),
    );
  });

  it('belong to no node if the node id is missing or invalid', () => {
    for (const node of ['', 'node-0', 'node-x', 'web-1', 'node-1x']) {
      expect(fromLabels({ 'overworld/cluster': CLUSTER, 'overworld/node': node })).toBeNull();
    }
  });

  it('are ignored if their values are invalid', () => {
    const labels = {
      'overworld/node': 'node-1',
      'overworld/ready': 'yesterday',
      'overworld/ssh-port': '99999',
      'overworld/hostkey': 'short',
    };
    expect(fromLabels(labels)).toEqual({ node: 'node-1', readyAt: null, sshPort: 22, hostKeys: [] });
  });

  it("keep the users' own labels when Overworld replaces its labels", () => {
    const present = { team: 'web', 'overworld/hostkey-2': 'kxk', 'overworld/node': 'node-1' };
    expect(withOurs(present, { 'overworld/node': 'node-1' })).toEqual({
      team: 'web',
      'overworld/node': 'node-1',
    });
  });
});

it('serverName returns a valid host name that begins with the id of the network', () => {
  expect(serverName(CLUSTER, 'node-3')).toBe('ow-1234abcd-node-3');
  expect(serverName(CLUSTER, 'node-3')).toMatch(NAME);
});

it('nodeNumber returns the number in a node id, and null for any other id', () => {
  expect(['node-7', 'node-07', 'node-', 'local'].map(nodeNumber)).toEqual([7, null, null, null]);
});
