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

/** A service, with the time limits that its template had when a master last observed the service running. */
interface LimitedService {
  readonly template: TemplateId;
  readonly timeLimits: TimeLimits | null;
}

/**
 * Returns the time limits of a service: the current ones of its template (docs/specification.md#start-up). If the
 * template no longer exists, its remaining services keep its last limits, because they still have to save their
 * worlds. If these are not known, they have the default limits.
 */
export function timeLimitsOf(
  { template, timeLimits }: LimitedService,
  { config }: Pick<Documents, 'config'>,
): TimeLimits {
  const current = config.templates.get(template)?.state.config;
  return current === undefined ? (timeLimits ?? toTimeLimits(DEFAULTS)) : toTimeLimits(current);
}

function toTimeLimits({
  startTimeout,
  stopTimeout,
}: Pick<TemplateConfig, 'startTimeout' | 'stopTimeout'>): TimeLimits {
  return { startTimeoutMs: startTimeout * 1000, stopGraceMs: stopTimeout * 1000 };
}
