import fc from 'fast-check';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateSnapshot } from '#master/core/snapshot/snapshot.ts';
import { aTemplate, NOW } from '../master/snapshots.ts';
import { never, oneIn, seldom } from './chance.ts';

type Ruled =
  | 'minimumRunningServers'
  | 'maximumOnlineServers'
  | 'startNewServiceAtTemplateCapacity'
  | 'startNewServiceAtGlobalCapacity'
  | 'priority'
  | 'maxJvmMemory'
  | 'killUnusedTooManyServersAfter'
  | 'maxPlayers';

/** Template that has no ID yet. */
export interface WishedTemplate {
  readonly config: Pick<TemplateConfig, Ruled>;
  readonly held: boolean;
  readonly leaving: boolean;
  readonly bringsJava: boolean;
  readonly hasJar: boolean;
  readonly writing: 'no' | 'first upload' | 'edit';
  readonly problem: boolean;
  readonly retryAt: number | null;
}

/** Longest back-off in these networks (ms), the same as in `DEFAULT_BACKOFF`. */
const LONGEST_BACKOFF_MS = 300_000;

/**
 * Generates 0 (off), or a threshold (percent) that shrinks towards 100. With a low threshold, a network can require a
 * hundred services at once, which makes failures hard to read.
 */
const percent = fc.oneof(
  fc.constant(0),
  fc.nat({ max: 99 }).map((below) => 100 - below),
);

const config = fc.record({
  minimumRunningServers: fc.integer({ min: 0, max: 4 }),
  maximumOnlineServers: fc.oneof(
    { weight: 2, arbitrary: fc.constant(-1) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 6 }) },
  ),
  startNewServiceAtTemplateCapacity: percent,
  startNewServiceAtGlobalCapacity: percent,
  priority: fc.integer({ min: -2, max: 2 }),
  maxJvmMemory: fc.oneof(fc.constantFrom(256, 1024, 2048), fc.integer({ min: 256, max: 4_096 })),
  killUnusedTooManyServersAfter: fc.constantFrom(120_000, 0, 60_000, -1),
  maxPlayers: fc.integer({ min: 1, max: 20 }),
});

/**
 * Generates a template.
 *
 * @param troubles whether templates may be paused, being deleted, faulty, half-uploaded or failing
 */
export function arbitraryTemplate(troubles: boolean): fc.Arbitrary<WishedTemplate> {
  const rarely = troubles ? oneIn : never;
  const time = fc.constantFrom(NOW - 1, NOW, NOW + 1, NOW + 5_000, NOW + LONGEST_BACKOFF_MS);
  return fc.record<WishedTemplate>({
    config,
    held: rarely(8),
    leaving: rarely(8),
    bringsJava: oneIn(4),
    hasJar: rarely(10).map((without) => !without),
    writing: troubles
      ? fc.constantFrom('no', 'no', 'no', 'no', 'no', 'no', 'edit', 'first upload')
      : fc.constant('no'),
    problem: rarely(12),
    retryAt: troubles ? seldom(4, time) : fc.constant(null),
  });
}

const base = aTemplate('t').config;

/**
 * Returns the template with an ID.
 *
 * @param nextNumber a number that is higher than the numbers of all services of the template
 */
export function toTemplate(
  { config: ruled, held, leaving, bringsJava, hasJar, writing, problem, retryAt }: WishedTemplate,
  { id, nextNumber }: Pick<TemplateSnapshot, 'id' | 'nextNumber'>,
): TemplateSnapshot {
  return {
    id,
    config: { ...base, ...ruled, name: id, minJvmMemory: 256 },
    revision: writing === 'first upload' ? null : 'r1',
    changing: writing !== 'no',
    hasJar: hasJar && writing !== 'first upload',
    bringsJava,
    problem: problem ? 'it holds a link.' : null,
    nextNumber,
    held,
    leaving,
    retryAt,
  };
}
