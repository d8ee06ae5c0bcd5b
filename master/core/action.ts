import type { ServiceId, Wait } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';

/** One act of a plan, as plain data. `cause` is the rule with its numbers, for the activity log. */
export type Action =
  | {
      readonly kind: 'request';
      readonly service: ServiceId;
      readonly template: TemplateId;
      readonly cause: string;
    }
  | { readonly kind: 'start'; readonly service: ServiceId; readonly node: string; readonly cause: string }
  | { readonly kind: 'stop'; readonly service: ServiceId; readonly cause: string };

/** What one round will do, and why the rest waits. */
export interface Plan {
  readonly actions: readonly Action[];
  /** For each requested service that does not start now: the reason. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
}
