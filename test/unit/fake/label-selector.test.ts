import { describe, expect, it } from 'vitest';
import { checkLabels, parseSelector } from '#test/fake/hetzner/world/label-selector.ts';

const LABELS = { env: 'prod', 'example.com/team': 'web', empty: '' };

describe('parseSelector (label selectors of the simulated Hetzner Cloud)', () => {
  it.each([
    ['env=prod', true],
    ['env==prod', true],
    ['env=test', false],
    ['env!=test', true],
    ['env!=prod', false],
    ['missing!=x', true],
    ['env', true],
    ['missing', false],
    ['!missing', true],
    ['!env', false],
    ['empty=', true],
    ['env in (test,prod)', true],
    ['env in (test)', false],
    ['env notin (test, dev)', true],
    ['env notin (prod)', false],
    ['example.com/team=web,env=prod', true],
    ['example.com/team=web,env in (a,b),!missing', false],
  ])('matches %s with the labels of a server: %s', (selector, want) => {
    expect(parseSelector(selector)(LABELS)).toBe(want);
  });

  it('rejects an invalid key', () => {
    expect(() => parseSelector('a b=c')).toThrow();
  });
});

describe('checkLabels (label rules of the simulated Hetzner Cloud)', () => {
  it.each([{ 'overworld/cluster': 'a-b_c.d' }, { a: '' }, { ['k'.repeat(63)]: 'v'.repeat(63) }])(
    'accepts the labels %j',
    (labels) => {
      expect(() => checkLabels(labels)).not.toThrow();
    },
  );

  it.each([
    { a: 'SHA256:x' },
    { a: '2026-11-21T10:00:00Z' },
    { a: '-x' },
    { a: 'v'.repeat(64) },
    { ['k'.repeat(64)]: 'v' },
    { 'hetzner.cloud/x': 'y' },
  ])('rejects the labels %j', (labels) => {
    expect(() => checkLabels(labels)).toThrow();
  });
});
