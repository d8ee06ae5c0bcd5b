import type { TemplateConfig } from '#shared/config/template.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeSnapshot, ServiceSnapshot, TemplateSnapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';

/** A case of a test: the services of one template `t`, and what the planner does. */
export interface Case {
  readonly says: string;
  readonly config?: Partial<TemplateConfig>;
  readonly template?: Partial<Omit<TemplateSnapshot, 'id' | 'config'>>;
  readonly services: readonly ServiceSnapshot[];
  readonly nodes?: readonly NodeSnapshot[];
  /** Short names of the expected actions, in order. */
  readonly want: readonly string[];
}

/** Returns the plan for a case. Without other values, the template needs one running service. */
export function planned({ config = {}, template = {}, services, nodes = [aNode()] }: Case) {
  const templates = [aTemplate('t', { minimumRunningServers: 1, ...config }, template)];
  return plan(aSnapshot({ templates, services, nodes }));
}

/** Returns short names of the planned actions, in order. */
export function actionsOf(one: Case): string[] {
  return planned(one).actions.map((action) =>
    'service' in action ? `${action.kind} ${action.service}` : `${action.kind} ${action.node}`,
  );
}
