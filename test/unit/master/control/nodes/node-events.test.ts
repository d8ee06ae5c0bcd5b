import { beforeEach, describe, expect, it } from 'vitest';
import { NodeEvents } from '#master/control/nodes/node-events.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { EventLog } from '#master/store/event-log.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

let told: string[];
let news: NodeEvents;

beforeEach(() => {
  told = [];
  // The events use only this method of the log.
  const log = {
    add: ({ kind, message, cause }: Record<string, string>) => told.push(`${kind}: ${message} (${cause})`),
  };
  news = new NodeEvents(log as unknown as EventLog, () => 74_001);
});

let foreign: readonly ForeignServer[] = [];

function look(...nodes: NodeInfo[]): boolean {
  return news.see({
    nodes: () => nodes,
    trouble: () => null,
    hasReleased: (node) => node === 'node-9',
    foreignServers: () => foreign,
  });
}

function see(...nodes: NodeInfo[]): string[] {
  told = [];
  look(...nodes);
  return told;
}

describe('NodeEvents (reports changes of nodes to the activity log)', () => {
  it('reports changed servers of other networks only to the window, without an event', () => {
    const node = aRentedNode();
    look(node);
    expect(look(node)).toBe(false);
    foreign = [];
    expect(look(node)).toBe(true);
    expect(look(node)).toBe(false);
    expect(told).toEqual([]);
  });

  it('reports no event for nodes that exist when the master starts', () => {
    expect(see(aRentedNode())).toEqual([]);
    expect(see(aRentedNode())).toEqual([]);
  });

  it('reports that an ordered node has become ready, with the duration', () => {
    see();
    expect(see(aRentedNode({ state: 'BOOTING' }))).toEqual([]);
    expect(see(aRentedNode())).toEqual([
      'node.ready: node-1 is ready and accepts services: cpx32 in nbg1 (it was ready 74 s after the order)',
    ]);
  });

  it('reports why a node was lost, and reports when it returns', () => {
    see(aRentedNode());
    expect(see(aRentedNode({ state: 'LOST', note: 'It cannot be reached: no answer' }))).toEqual([
      'node.lost: node-1 is lost; its services start on other nodes (It cannot be reached: no answer)',
    ]);
    expect(see(aRentedNode())).toEqual(['node.ready: node-1 is reachable again (the master reached it)']);
  });

  it('reports no event for a node that this master has released', () => {
    see(aRentedNode({ id: 'node-9' }));
    expect(see()).toEqual([]);
  });

  it('reports a node that was deleted at the provider by someone else', () => {
    see(aRentedNode(), aRentedNode({ id: 'node-2', state: 'DELETING' }));
    expect(see()).toEqual([
      "node.lost: node-1 no longer exists (it was deleted outside of Overworld, for example in the provider's console)",
    ]);
  });
});
