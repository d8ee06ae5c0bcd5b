import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Documents } from '../context/documents.ts';

/** Time limits of a template's services (ms). */
export interface TimeLimits {
  /** Time after which a start without an answered ping fails, unless the service's log is still changing. */
  readonly startTimeoutMs: number;
  /** Time that a stopping server has to save its worlds before it is killed. */
  readonly stopGraceMs: number;
}

const DEFAULTS = templateConfigSchema.parse({});

/**
 * Returns the current time limits of a template (docs/specification.md#start-up). If the template no longer exists,
 * its remaining services have the default limits.
 */
export function timeLimitsOf(template: TemplateId, { config }: Pick<Documents, 'config'>): TimeLimits {
  return toTimeLimits(config.templates.get(template)?.state.config ?? DEFAULTS);
}

function toTimeLimits({
  startTimeout,
  stopTimeout,
}: Pick<TemplateConfig, 'startTimeout' | 'stopTimeout'>): TimeLimits {
  return { startTimeoutMs: startTimeout * 1000, stopGraceMs: stopTimeout * 1000 };
}
