import { expect, it } from 'vitest';
import { whyNotAgain } from '#master/control/services/fail.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';

const STOPPING = { since: 5, cause: 'a test' };
const PAUSED = 'its automation is paused, so it is not retried';
const TEMPLATE_PAUSED = 'automation of its template is paused, so it is not retried';
const DELETED = 'its template is being deleted, so it is not retried';

interface Case {
  readonly which: string;
  readonly record?: Partial<ServiceRecord>;
  readonly template?: 'held' | 'leaving';
  readonly why: string | null;
}

it.each<Case>([
  { which: 'that the rules want', why: null },
  { which: 'that is paused', record: { held: true }, why: PAUSED },
  { which: 'that is paused and restarting', record: { held: true, restarting: true }, why: null },
  {
    which: 'that is being stopped',
    record: { stopping: STOPPING },
    why: 'it is being stopped, so it is not retried',
  },
  {
    which: 'that is being stopped for a restart',
    record: { stopping: STOPPING, restarting: true },
    why: null,
  },
  { which: 'of a paused template', template: 'held', why: TEMPLATE_PAUSED },
  {
    which: 'of a paused template that a person requested',
    record: { manual: true },
    template: 'held',
    why: null,
  },
  {
    which: 'of a paused template that a person requested and that was up',
    record: { manual: true, wasUp: true },
    template: 'held',
    why: TEMPLATE_PAUSED,
  },
  {
    which: 'of a paused template that is restarting',
    record: { restarting: true, wasUp: true },
    template: 'held',
    why: null,
  },
  { which: 'of a template that is being deleted', template: 'leaving', why: DELETED },
  {
    which: 'of a template that is being deleted, and that is restarting',
    record: { restarting: true },
    template: 'leaving',
    why: DELETED,
  },
])('a failed service $which is announced as the planner treats it', ({ record = {}, template, why }) => {
  const fields = { id: 'lobby-1', template: 'lobby', requestedAt: 1, cause: 'a test', manual: false };
  const overrides = {
    isTemplateHeld: () => template === 'held',
    leavingOf: () => (template === 'leaving' ? { since: 1, by: 'anna', cause: 'a test' } : null),
  };
  expect(whyNotAgain({ ...newRecord(fields), ...record }, { overrides })).toBe(why);
});
