import { describe, expect, it } from 'vitest';
import { backoffMs, DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { keepReasons } from '#shared/model/node.ts';
import { waitReasons } from '#shared/model/wait.ts';
import { EXAMPLE_BLOCK, EXAMPLE_PAGES, fillExamples, scalingExamples } from './examples/fill.ts';
import { read } from './pages.ts';

const page = read('docs/scaling.md');

describe('the worked examples of the scaling rules', () => {
  it.each(EXAMPLE_PAGES)(
    'show the results that the planner has today: %s (npx tsx build/scripts/docs.ts)',
    (path) => {
      const text = read(path);
      expect(text).toBe(fillExamples(text));
    },
  );

  it('appear on exactly one page each', () => {
    const texts = EXAMPLE_PAGES.map(read).join('');
    const shown = [...texts.matchAll(EXAMPLE_BLOCK)].map(([, name]) => name);
    expect(shown.toSorted()).toEqual(scalingExamples.map(({ name }) => name).toSorted());
  });
});

describe('docs/scaling.md', () => {
  it.each([
    { says: 'a service waits', reasons: waitReasons, heading: '## Why something waits' },
    { says: 'a node is kept', reasons: keepReasons, heading: '### Why a node stays' },
  ])('lists each reason for which $says', ({ reasons, heading }) => {
    const section = page.slice(page.indexOf(`${heading}\n`) + heading.length).split(/^##/m)[0] ?? '';
    const named = [...section.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, reason]) => reason);
    expect(named).toEqual([...reasons]);
  });

  it('contains the delays between attempts to start a service that fails', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => backoffMs(attempts, DEFAULT_BACKOFF) / 1000);
    expect(page).toContain(`${seconds.slice(0, -1).join(', ')} s`);
    expect(seconds.slice(-2)).toEqual([300, 300]);
  });
});
