import { beforeEach, describe, expect, it } from 'vitest';
import { NodeEvents } from '#master/control/nodes/node-events.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { EventLog } from '#master/store/event-log.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

let told: string[];
let news: NodeEvents;

beforeEach(() => {
  told = [];
  // Only writing to the log is used.
  const log = {
    add: ({ kind, message, cause }: Record<string, string>) => told.push(`${kind}: ${message} (${cause})`),
  };
  news = new NodeEvents(log as unknown as EventLog, () => 74_001);
});

function see(...nodes: NodeInfo[]): string[] {
  told = [];
  news.see({ nodes: () => nodes, trouble: () => null, hasReleased: (node) => node === 'node-9' });
  return told;
}

describe('NodeEvents', () => {
  it('reports nothing about nodes that exist when the master starts', () => {
    expect(see(aRentedNode())).toEqual([]);
    expect(see(aRentedNode())).toEqual([]);
  });

  it('reports that an ordered node is ready, and how long it took', () => {
    see();
    expect(see(aRentedNode({ state: 'BOOTING' }))).toEqual([]);
    expect(see(aRentedNode())).toEqual([
      'node.ready: node-1 is ready and takes services: cpx32 in nbg1 (it was ready 74 s after the order)',
    ]);
  });

  it('reports a lost node with its reason, and its return', () => {
    see(aRentedNode());
    expect(see(aRentedNode({ state: 'LOST', note: 'It cannot be reached: no answer' }))).toEqual([
      'node.lost: node-1 is lost; its services start on other nodes (It cannot be reached: no answer)',
    ]);
    expect(see(aRentedNode())).toEqual(['node.ready: node-1 is reachable again (the master reached it)']);
  });

  it('does not report a node that this master has released', () => {
    see(aRentedNode({ id: 'node-9' }));
    expect(see()).toEqual([]);
  });

  it('reports a node that was deleted elsewhere, but not one that was being released', () => {
    see(aRentedNode(), aRentedNode({ id: 'node-2', state: 'DELETING' }));
    expect(see()).toEqual([
      "node.lost: node-1 no longer exists (it was deleted outside of Overworld, for example in the provider's console)",
    ]);
  });
});
