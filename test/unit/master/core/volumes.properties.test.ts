import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attachTo,
  isAttachedTo,
  lossMs,
  placeOfSave,
  type Attachment,
} from '#master/core/volumes/attachment.ts';
import type { ServiceState } from '#shared/model/service.ts';
import { plan } from '#master/core/plan.ts';
import { aNode, aRentedNode, aService, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';

const SERVICE = 'survival-1';
const NODES = ['node-1', 'node-2', 'node-3'] as const;
type Node = (typeof NODES)[number];

/** What can happen. `node` chooses one of the nodes. */
type Step =
  | { readonly kind: 'round' }
  | { readonly kind: 'write' }
  | { readonly kind: 'save' }
  | { readonly kind: 'exit' }
  /** The master's disk becomes full, or has room again. */
  | { readonly kind: 'fill' | 'free' }
  /** Players join, or they leave and a person begins a rolling restart. */
  | { readonly kind: 'join' | 'roll' }
  | { readonly kind: 'cut' | 'mend' | 'destroy' | 'accept'; readonly node: Node };

/**
 * A model of one persistent service on three nodes. The planner and the transitions of attachments are the real code.
 * Disks, processes and the network are modelled: each process writes the next number into the folder of the service,
 * and a save stores the number in the folder. Saves fail while the master's disk is full.
 */
class Model {
  /** Number in the folder of the service on each node; absent if there is no folder. */
  readonly folders = new Map<Node, number>();
  readonly processes = new Set<Node>();
  readonly cut = new Set<Node>();
  readonly gone = new Set<Node>();
  attachment: Attachment | null = null;
  saves: number[] = [];
  /** Numbers in separate saves, which are stored beside the newest saves. */
  readonly aside: number[] = [];
  /** Node in the service's record. */
  placedOn: Node | null = null;
  acknowledged = 0;
  /** Whether the last save of the attached node's data failed, as far as the master knows. */
  unsavable = false;
  /** Number of stops that the rules decided. */
  stops = 0;
  #isDiskFull = false;
  #hasPlayers = true;
  #retiring = false;
  #written = 0;
  #now = 1_000_000_000;

  do(step: Step): void {
    this.#now += 1_000;
    switch (step.kind) {
      case 'round':
        this.#round();
        break;
      case 'write':
        for (const node of this.processes) this.folders.set(node, ++this.#written);
        break;
      case 'save':
        if (this.placedOn !== null && this.processes.has(this.placedOn)) this.#save(this.placedOn);
        break;
      case 'exit':
        if (this.placedOn !== null) this.processes.delete(this.placedOn);
        break;
      case 'fill':
      case 'free':
        this.#isDiskFull = step.kind === 'fill';
        break;
      case 'join':
        this.#hasPlayers = true;
        break;
      case 'roll':
        this.#retiring = this.placedOn !== null;
        this.#hasPlayers = false;
        break;
      default:
        this.#doOn(step.kind, step.node);
    }
  }

  #doOn(kind: 'cut' | 'mend' | 'destroy' | 'accept', node: Node): void {
    if (kind === 'cut') this.cut.add(node);
    else if (kind === 'mend') this.cut.delete(node);
    else if (kind === 'destroy') {
      this.gone.add(node);
      this.folders.delete(node);
      this.processes.delete(node);
    } else if (this.attachment?.node === node && this.#isSilent(node)) {
      this.#detach();
      if (this.placedOn === node) this.placedOn = null;
    }
  }

  #detach(): void {
    this.attachment = null;
    this.unsavable = false;
  }

  /** Nodes whose processes the master lets write to the volume: their saves become the newest save. */
  get writers(): Node[] {
    return [...this.processes].filter((node) => placeOfSave(this.attachment, SERVICE, node) === 'newest');
  }

  #isSilent(node: Node): boolean {
    return this.cut.has(node) || this.gone.has(node);
  }

  #save(node: Node): boolean {
    const number = this.folders.get(node);
    if (number === undefined || this.#isSilent(node)) return false;
    if (this.#isDiskFull) {
      if (isAttachedTo(this.attachment, SERVICE, node)) this.unsavable = true;
      return false;
    }
    if (placeOfSave(this.attachment, SERVICE, node) === 'aside') {
      if (!this.saves.includes(number)) this.aside.push(number);
      return true;
    }
    this.saves = [number, ...this.saves];
    this.acknowledged = number;
    if (this.attachment !== null) this.attachment = { ...this.attachment, savedAt: this.#now };
    this.unsavable = false;
    return true;
  }

  /** A round of the control loop: what it observes, then what it plans. */
  #round(): void {
    for (const node of NODES) {
      if (this.#isSilent(node) || this.placedOn === node) continue;
      // A process that does not belong on the node is stopped. Its files are removed after they are saved.
      if (!this.folders.has(node)) continue;
      this.processes.delete(node);
      if (this.#save(node)) this.#remove(node);
    }
    const { placedOn } = this;
    if (placedOn !== null && this.gone.has(placedOn)) {
      // The provider has confirmed that the node no longer exists.
      if (isAttachedTo(this.attachment, SERVICE, placedOn)) this.#detach();
      this.placedOn = null;
    } else if (placedOn !== null && !this.#isSilent(placedOn) && !this.processes.has(placedOn)) {
      // If the save fails, the files stay on the node, and the service stays in the list.
      if (this.#save(placedOn)) {
        this.#remove(placedOn);
        this.placedOn = null;
      }
    }
    this.#carryOut();
  }

  #remove(node: Node): void {
    expect([...this.saves, ...this.aside], 'only saved data is removed').toContain(this.folders.get(node));
    this.folders.delete(node);
    if (isAttachedTo(this.attachment, SERVICE, node)) this.#detach();
  }

  #carryOut(): void {
    const { placedOn } = this;
    const nodes = NODES.filter((node) => !this.gone.has(node)).map((id) =>
      aRentedNode(id, this.cut.has(id) ? { state: 'LOST', silent: 'overdue' } : {}),
    );
    const { actions } = plan(
      aSnapshot({
        templates: [aTemplate('survival', { persistentPaths: ['world'], minimumRunningServers: 1 })],
        services: [aService(SERVICE, placedOn === null ? { state: 'REQUESTED' } : this.#placed(placedOn))],
        nodes: [aNode({ ramMb: 0 }), ...nodes],
        volumes: [
          {
            ...{ service: SERVICE, attachedTo: this.attachment?.node ?? null, cachedOn: null, problem: null },
            mayBeUnsaved: this.attachment?.started ?? false,
            unsavable: this.unsavable ? "The master's disk is full." : null,
          },
        ],
      }),
    );
    for (const action of actions) {
      if (action.kind === 'release') this.do({ kind: 'destroy', node: toNode(action.node) });
      if (action.kind === 'start') this.#start(toNode(action.node));
      if (action.kind === 'stop') this.#stop();
    }
  }

  #placed(node: Node) {
    const state: ServiceState = this.#hasPlayers ? 'IN_USE' : 'RUNNING';
    return { node, state, retiring: this.#retiring, stopping: !this.processes.has(node) };
  }

  #stop(): void {
    expect(this.unsavable, 'no rule stops a service whose data cannot be saved').toBe(false);
    this.stops += 1;
    if (this.placedOn !== null) this.processes.delete(this.placedOn);
    this.#retiring = false;
  }

  #start(node: Node): void {
    const attaching = attachTo(this.attachment, { service: SERVICE, node, now: this.#now });
    expect(attaching.kind, 'the planner only starts what may be attached').toBe('attached');
    if (attaching.kind !== 'attached') return;
    this.attachment = { ...attaching.attachment, started: true };
    expect(this.folders.has(node), 'no folder with data is overwritten').toBe(false);
    this.placedOn = node;
    this.#retiring = false;
    this.folders.set(node, this.saves[0] ?? 0);
    expect(this.folders.get(node), 'the newest save is what starts').toBe(this.acknowledged);
    this.processes.add(node);
  }
}

function toNode(id: string): Node {
  const node = NODES.find((one) => one === id);
  if (node === undefined) throw new Error(`unknown node ${id}`);
  return node;
}

const node = fc.constantFrom(...NODES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'round' } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: 'write' } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: 'save' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'exit' } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('fill', 'free') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('join', 'roll', 'roll') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('cut', 'mend', 'accept', 'destroy'), node }) },
);

describe('volumes, for any sequence of starts, saves and lost nodes,', () => {
  it('never have two writers, lose no data that is or can be saved, and continue from the newest save', () => {
    let starts = 0;
    let losses = 0;
    let stops = 0;
    let failures = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const model = new Model();
        for (const one of steps) {
          const before = new Set(model.saves);
          const wasPlaced = model.placedOn;
          const wasUnsavable = model.unsavable;
          model.do(one);
          if (model.unsavable && !wasUnsavable) failures += 1;
          expect(model.writers.length).toBeLessThanOrEqual(1);
          for (const save of before) expect(model.saves).toContain(save);
          expect(model.saves[0] ?? 0).toBe(model.acknowledged);
          if (wasPlaced === null && model.placedOn !== null) starts += 1;
          if (one.kind === 'accept' || one.kind === 'destroy') losses += 1;
        }
        stops += model.stops;
      }),
      { numRuns: 400 },
    );
    // Make sure that the sequences contain enough events of each kind that the test is about.
    expect(starts).toBeGreaterThan(100);
    expect(losses).toBeGreaterThan(100);
    expect(stops).toBeGreaterThan(30);
    expect(failures).toBeGreaterThan(30);
  });

  it('report a data loss that covers at least the time since the last save', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.option(fc.nat(1e9)), fc.nat(1e9), (since, saved, passed) => {
        const savedAt = saved === null ? null : since + saved;
        const now = (savedAt ?? since) + passed;
        const attachment = {
          ...{ service: SERVICE, node: 'node-1', since, savedAt },
          ...{ started: true, lossAccepted: false, paused: false },
        };
        expect(lossMs(attachment, now)).toBe(passed);
        expect(lossMs({ ...attachment, started: false }, now)).toBeNull();
      }),
    );
  });
});
