import { expect, it } from 'vitest';
import { MissingTemplates } from '#master/control/templates/missing-templates.ts';
import type { Documents } from '#master/state/context/documents.ts';

/** Returns templates that a test can add and remove, with a manual clock. */
function aFolder() {
  let now = 1_000;
  const templates = new Map([['lobby', {}]]);
  const config = { templates } as unknown as Documents['config'];
  return {
    templates,
    absences: new MissingTemplates(config, () => now),
    wait: (ms: number): void => {
      now += ms;
    },
  };
}

it('if a template is missing, its services are kept for five seconds, and its overrides for ten minutes', () => {
  const { absences, templates, wait } = aFolder();
  templates.delete('lobby');
  expect(absences.isDeserted('lobby')).toBe(false);
  wait(4_999);
  expect(absences.isDeserted('lobby')).toBe(false);
  wait(1);
  expect(absences.isDeserted('lobby')).toBe(true);
  expect(absences.isForgotten('lobby')).toBe(false);
  wait(595_000);
  expect(absences.isForgotten('lobby')).toBe(true);
});

it('the waiting time for a missing template starts again each time the template disappears', () => {
  const { absences, templates, wait } = aFolder();
  templates.delete('lobby');
  expect(absences.isForgotten('lobby')).toBe(false);
  wait(700_000);
  templates.set('lobby', {});
  absences.refresh();
  expect(absences.isForgotten('lobby')).toBe(false);
  templates.delete('lobby');
  expect(absences.isForgotten('lobby')).toBe(false);
  wait(4_000);
  expect(absences.isDeserted('lobby')).toBe(false);
});
