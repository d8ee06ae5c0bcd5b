import { afterAll, afterEach, onTestFinished } from 'vitest';
import { keepEvidence } from './evidence.ts';
import { LabNode, type NodeOptions } from './node.ts';
import { takePlace, type Place } from './places.ts';
import { findSurroundings, type Surroundings } from './surroundings.ts';

/** Boots nodes, and removes the remaining nodes when it is closed. */
export class Lab {
  readonly #surroundings: Surroundings = findSurroundings();
  readonly #nodes = new Set<LabNode>();

  /** All nodes, oldest first. */
  get nodes(): readonly LabNode[] {
    return [...this.#nodes];
  }

  /** Reserves an address for a node that is booted later. */
  reserve(): Place {
    return takePlace(this.#surroundings);
  }

  /** Boots a node. Resolves when its systemd has started; see {@link LabNode.waitForSsh}. */
  async boot(options: NodeOptions = {}, place = this.reserve()): Promise<LabNode> {
    const node = new LabNode(place, this.#surroundings, options);
    this.#nodes.add(node);
    await node.start();
    return node;
  }

  /** Removes a node. Does nothing if it was already removed. */
  async destroy(node: LabNode): Promise<void> {
    if (this.#nodes.delete(node)) await node.destroy();
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.destroy(node)));
  }
}

/**
 * Creates a lab for the calling test and removes its nodes afterwards. If the test fails, the nodes' journals and
 * other data are kept.
 */
export function testLab(): Lab {
  const lab = new Lab();
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await keepEvidence(task.name, lab.nodes);
    await lab.close();
  });
  return lab;
}

/**
 * Creates a lab for the calling file or `describe`, and removes its nodes after the last test. If a test fails,
 * data is kept as with {@link testLab}.
 */
export function sharedLab(): Lab {
  const lab = new Lab();
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepEvidence(task.name, lab.nodes);
  });
  afterAll(() => lab.close());
  return lab;
}
