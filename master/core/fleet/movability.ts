import { isPersistent } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { unsavableWords } from '#shared/text/unsavable.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { whyTemplateWaits } from '../placement/choose-node.ts';
import { isStoppingForRestart, type ServiceSnapshot, type TemplateSnapshot } from '../snapshot/snapshot.ts';

/**
 * Decides whether the replacement of a service can be ready on another node before the service stops. If that is
 * impossible, the rules do not drain the service's node.
 */
export class Movability {
  readonly #index: SnapshotIndex;
  readonly #templates: ReadonlyMap<TemplateId, TemplateSnapshot>;
  readonly #restless: ReadonlySet<TemplateId>;

  /**
   * @param restless templates for which this round requests or stops services. Their number of services is still
   *   changing
   */
  constructor(index: SnapshotIndex, restless: ReadonlySet<TemplateId>) {
    this.#index = index;
    this.#templates = new Map(index.snapshot.templates.map((template) => [template.id, template]));
    this.#restless = restless;
  }

  /** Returns why a service has to stay on its node, as one sentence. Null if it may leave. */
  whyNot(service: ServiceSnapshot): string | null {
    const template = this.#templates.get(service.template);
    const unsavable = this.#index.unsavable(service);
    if (unsavable !== null) return unsavableWords({ service: service.id, why: unsavable });
    if (service.held) return `Automation of ${service.id} is paused.`;
    if (template === undefined) return null;
    const { id, config } = template;
    if (this.#restless.has(id)) return `Services of template ${id} are being started or stopped.`;
    if (service.stopping) return null;
    if (isStoppingForRestart(service)) return `${service.id} is being restarted.`;
    if (template.held && !template.leaving)
      return `Automation of template ${id}, which ${service.id} belongs to, is paused.`;
    const leaving = this.#index.leaving(service);
    if (leaving === 'deleted') return null;
    if (this.#isAtCap(template)) {
      // This service would have to stop before its replacement can be requested, and the replacement might then find
      // no node.
      return isPersistent(config)
        ? `${service.id} has to stop before it can start on another node, and no rule does this while template ${id} has reached maximumOnlineServers.`
        : `maximumOnlineServers of template ${id} leaves no room to replace ${service.id} first.`;
    }
    // A leaving service is replaced whether or not this node is drained, and its replacement is already counted.
    if (leaving !== null) return null;
    if (config.killUnusedTooManyServersAfter === -1) {
      return `Services of template ${id} are never stopped (killUnusedTooManyServersAfter is -1).`;
    }
    return whyTemplateWaits(template, this.#index.snapshot.now) === null
      ? null
      : `No service of template ${id} can start on another node now.`;
  }

  #isAtCap({ id, config: { maximumOnlineServers } }: TemplateSnapshot): boolean {
    return maximumOnlineServers !== -1 && this.#index.ofTemplate(id).services.length >= maximumOnlineServers;
  }
}
