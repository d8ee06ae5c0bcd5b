import type { TemplateId } from '#shared/model/template.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { whyTemplateWaits } from '../placement/placement.ts';
import { isStoppingForRestart, type ServiceSnapshot, type TemplateSnapshot } from '../snapshot/snapshot.ts';

/**
 * Decides whether a service can be replaced on another node before it is stopped. If it cannot, the rules do not
 * drain its node.
 */
export class Movability {
  readonly #index: SnapshotIndex;
  readonly #templates: ReadonlyMap<TemplateId, TemplateSnapshot>;
  readonly #restless: ReadonlySet<TemplateId>;

  /**
   * @param restless templates for which this round requests or stops services: their number of services is not
   *   settled yet
   */
  constructor(index: SnapshotIndex, restless: ReadonlySet<TemplateId>) {
    this.#index = index;
    this.#templates = new Map(index.snapshot.templates.map((template) => [template.id, template]));
    this.#restless = restless;
  }

  /** Returns why a service has to stay on its node, as one sentence. Null if it may leave. */
  whyNot(service: ServiceSnapshot): string | null {
    const template = this.#templates.get(service.template);
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
      // Its replacement can only be requested after it has stopped, and may fit nowhere then.
      return `maximumOnlineServers of template ${id} leaves no room to replace ${service.id} first.`;
    }
    // It leaves wherever it runs, and its replacement is already counted.
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
