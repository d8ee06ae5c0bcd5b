import { describe, expect, it } from 'vitest';
import { newerBuild } from '#master/software/newer-build.ts';

const list = (...names: string[]) =>
  names.map((name) => ({ build: name.replace('*', ''), stable: !name.endsWith('*'), at: null }));

describe('the newer build that is offered for a build', () => {
  it.each([
    { software: 'paper', build: '130', builds: list('131', '130'), want: '131' },
    { software: 'paper', build: '131', builds: list('132*', '131', '130'), want: null },
    { software: 'paper', build: '129', builds: list('131', '130'), want: null },
    {
      software: 'fabric',
      build: '0.18.3-1.1.0',
      builds: list('0.18.4-1.1.1', '0.18.3-1.1.1'),
      want: '0.18.4-1.1.1',
    },
    { software: 'fabric', build: '0.18.4-1.1.0', builds: list('0.18.4-1.1.1', '0.18.3-1.1.1'), want: null },
  ] as const)('of $software $build is $want', ({ software, build, builds, want }) => {
    expect(newerBuild({ software, version: '1.21.11', build }, builds)?.build ?? null).toBe(want);
  });
});
