import type { BackoffLimits } from '#master/core/placement/backoff-delay.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { StartBackoff } from '#master/core/snapshot/snapshot.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { StartBackoffs } from '../services/start-backoffs.ts';

interface NodeFailure {
  readonly node: NodeId;
  readonly template: TemplateId;
  /** When the failed start began (ms since epoch). */
  readonly begunAt: number;
  /** Why the start failed, as one sentence. */
  readonly reason: string;
  /** As in {@link StartBackoff}. Default false. */
  readonly concernsOnlyTemplate?: boolean;
}

/**
 * Counts failed starts in a row that were a node's fault, per node and template. The delays are the same as for
 * failures that are the template's own fault (docs/adr/0025). `core/placement/node-backoff.ts` decides when the
 * failures close the node to all templates. The counts are in memory only, so a restarted master may retry
 * immediately.
 */
export class NodeBackoff {
  readonly #limits: BackoffLimits;
  readonly #byNode = new Map<NodeId, Failures>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a failed start. A start that was already in progress when another one failed does not extend the delay.
   *
   * @returns number of failed starts in a row, including this one
   */
  count(failure: NodeFailure, now: number): number {
    const { node, template, begunAt, reason, concernsOnlyTemplate = false } = failure;
    const known: Failures = this.#byNode.get(node) ?? {
      startBackoffs: new StartBackoffs(this.#limits),
      last: new Map(),
    };
    this.#byNode.set(node, known);
    const before = known.last.get(template);
    if (before !== undefined && begunAt <= before.at) return before.attempts;
    const attempts = known.startBackoffs.count(template, now, { ranMs: null, timedOutMs: 0 });
    known.last.set(template, { at: now, attempts, reason, concernsOnlyTemplate });
    return attempts;
  }

  /** Returns the back-offs of a node, including expired back-offs that are not removed yet. */
  of(node: NodeId): readonly StartBackoff[] {
    const known = this.#byNode.get(node);
    if (known === undefined) return NONE;
    return [...known.last].flatMap(([template, { at, reason, concernsOnlyTemplate }]) => {
      const retryAt = known.startBackoffs.retryAt(template);
      return retryAt === null ? [] : [{ template, since: at, retryAt, reason, concernsOnlyTemplate }];
    });
  }

  /** Clears the back-off of a template on a node, because a service of the template is running there. */
  recovered(node: NodeId, template: TemplateId): void {
    const known = this.#byNode.get(node);
    known?.startBackoffs.forgive(template);
    known?.last.delete(template);
    if (known?.last.size === 0) this.#byNode.delete(node);
  }

  /** Clears the back-offs of a template on all nodes, because its configuration or its files have changed. */
  forgiveTemplate(template: TemplateId): void {
    for (const node of [...this.#byNode.keys()]) this.recovered(node, template);
  }

  /**
   * Clears all back-offs of a node, so that starts are retried immediately.
   *
   * @returns false if the node had no back-offs
   */
  forgive(node: NodeId): boolean {
    return this.#byNode.delete(node);
  }

  /** Clears all back-offs of all nodes. */
  forgiveAll(): void {
    this.#byNode.clear();
  }

  /**
   * Removes these back-offs:
   * - back-offs of nodes that no longer exist
   * - back-offs that lie in the future, because the clock was set back
   * - back-offs that expired so long ago that they no longer count; see {@link StartBackoffs.tidy}
   *
   * @param now ms since epoch
   * @param nodes nodes that exist
   */
  tidy(now: number, nodes: ReadonlySet<NodeId>): void {
    for (const [node, { startBackoffs, last }] of this.#byNode) {
      startBackoffs.tidy(now);
      for (const template of last.keys()) if (startBackoffs.retryAt(template) === null) last.delete(template);
      if (last.size === 0 || !nodes.has(node)) this.#byNode.delete(node);
    }
  }
}

interface Failures {
  readonly startBackoffs: StartBackoffs;
  readonly last: Map<TemplateId, LastFailure>;
}

interface LastFailure {
  readonly at: number;
  readonly attempts: number;
  readonly reason: string;
  readonly concernsOnlyTemplate: boolean;
}

const NONE: readonly StartBackoff[] = [];
