import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, onTestFailed, onTestFinished } from 'vitest';
import { LabNode, type NodeOptions } from './node.ts';
import { findSurroundings, type Surroundings } from './surroundings.ts';

/** Addresses of the hub's network that are left for nodes. */
const mostNodes = 200;

/** Boots nodes, and ends those that are left. */
export class Lab {
  readonly #surroundings: Surroundings = findSurroundings();
  readonly #nodes = new Set<LabNode>();

  /** Nodes that there are, the oldest first. */
  get nodes(): readonly LabNode[] {
    return [...this.#nodes];
  }

  /** Boots a node. Resolves when its systemd has begun; see {@link LabNode.waitForSsh}. */
  async boot(options: NodeOptions = {}): Promise<LabNode> {
    const node = new LabNode(this.#takeNumber(), this.#surroundings, options);
    this.#nodes.add(node);
    await node.start();
    return node;
  }

  /** Ends a node for ever. Fine when it is gone. */
  async destroy(node: LabNode): Promise<void> {
    if (this.#nodes.delete(node)) await node.destroy();
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.destroy(node)));
  }

  /** The folder is the record: other processes in the same lab take other numbers. */
  #takeNumber(): number {
    for (let number = 1; number <= mostNodes; number++) {
      try {
        mkdirSync(join(this.#surroundings.folder, String(number)));
        return number;
      } catch {
        // Taken.
      }
    }
    throw new Error(`the lab has ${mostNodes} nodes already`);
  }
}

/** A lab for the calling test: its nodes end with the test. When it fails, their consoles and journals are shown. */
export function testLab(): Lab {
  const lab = new Lab();
  onTestFinished(() => lab.close());
  onTestFailed(() => lab.nodes.forEach((node) => process.stderr.write(`${node.name}:\n${node.console}\n`)));
  return lab;
}

/** A lab for the calling file or `describe`: its nodes end after the last test there. */
export function sharedLab(): Lab {
  const lab = new Lab();
  afterAll(() => lab.close());
  return lab;
}
