import { searchAll } from '#renderer/view/search.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { millisecondsOf } from '../kit/clock.ts';
import { median } from '../kit/statistics.ts';

const SERVICES = 5_000;

/** Actions that the palette offers for each service. */
const VERBS = ['Stop', 'Kill', 'Hold', 'Restart', 'Console of'];

/** Texts that a person types, from one letter to a whole action. */
const TYPED = ['t', 'te', 'template-7', 'stop template-39-4', 'stop tpl', 'rest 12'];

/** Number of results that the palette shows. */
const SHOWN = 40;

/** Goal for one search (ms). It is the time of one frame at 60 Hz, so that typing never stutters. */
const GOAL_MS = 16;

const RUNS = 50;
const QUICK_RUNS = 5;

/** Measures a search of the command palette. The baseline searches all names for the typed text without a ranking. */
export const paletteSearch: Benchmark = {
  metrics: ['palette-search'],
  run({ quick }) {
    const n = quick ? QUICK_RUNS : RUNS;
    const labels = Array.from({ length: SERVICES }, (_, index) => `template-${index % 40}-${index}`);
    const entries = labels.map((label) => ({ id: `service ${label}`, label, keywords: 'service' }));
    const verbs = VERBS.map((words) => ({
      words: `${words} service`,
      objects: labels,
      toEntry: (id: string) => ({ id: `${words} ${id}`, label: `${words} ${id}` }),
    }));
    const space = { entries, verbs, recent: [] };
    const times = new Map<string, number[]>(TYPED.map((typed) => [typed, []]));
    const plain: number[] = [];
    for (let run = -n; run < n; run += 1) {
      for (const [typed, measured] of times) {
        const searched = millisecondsOf(() => searchAll(space, typed, SHOWN));
        const looked = millisecondsOf(() => labels.filter((label) => label.includes(typed)));
        if (run < 0) continue;
        measured.push(searched);
        plain.push(looked);
      }
    }
    const medians = [...times].map(([typed, measured]) => ({ typed, ms: median(measured) }));
    const slowest = medians.reduce((a, b) => (b.ms > a.ms ? b : a));
    const all = medians.map(({ typed, ms }) => `"${typed}" ${ms.toFixed(2)} ms`).join(', ');
    return Promise.resolve([
      {
        ...{ metric: 'palette-search', value: slowest.ms, unit: 'ms', baseline: median(plain), n },
        note: `${SERVICES} services with ${VERBS.length} actions each: ${all}; beside a filter of the ${SERVICES} names`,
        goal: { of: 'value', atMost: GOAL_MS },
      },
    ]);
  },
};
