import { describe, expect, it } from 'vitest';
import { toCharts } from '#renderer/view/history.ts';
import { aHistory } from '#test/support/app/models.ts';

describe('toCharts (charts on the Overview screen)', () => {
  const now = { players: 8, servicesUp: 6, services: 7, ramAllocatedMb: 3072, ramTotalMb: 32_768 };

  it('contains a chart of costs only if there are costs', () => {
    const history = aHistory('1h');
    expect(toCharts(history, null).map(({ id }) => id)).toEqual(['players', 'services', 'ram']);
    const paid = {
      ...history,
      costPerHour: history.costPerHour.map((cost) => (cost === null ? null : 0.03)),
    };
    expect(toCharts(paid, null).map(({ id }) => id)).toEqual(['players', 'services', 'ram', 'cost']);
  });

  it('marks the RAM usage at which a node is ordered, if this value is known', () => {
    const ram = (percent: number | null) => toCharts(aHistory('1h'), percent)[2]?.series ?? [];
    expect(ram(null).map(({ id }) => id)).toEqual(['allocated', 'total']);
    const line = ram(80).find(({ id }) => id === 'upscaling');
    expect(line?.values.at(-1)).toBeCloseTo(16 * 0.8, 6);
    expect(line?.values[0]).toBeNull();
  });

  it('contains the current value in the unit of the chart', () => {
    expect(toCharts(aHistory('1h'), null, now).map((chart) => chart.now)).toEqual([8, 6, 3]);
  });

  it('ends each line at the current value, not at the mean of the unfinished step', () => {
    const ends = (charts: ReturnType<typeof toCharts>) =>
      charts.flatMap(({ series }) => series.map(({ id, values }) => [id, values.at(-1)]));
    const history = aHistory('1h');
    expect(ends(toCharts(history, null, now))).toEqual([
      ['players', 8],
      ['limit', 100],
      ['up', 6],
      ['all', 7],
      ['allocated', 3],
      ['total', 32],
    ]);
    // Without current values, the chart contains the unchanged means.
    expect(toCharts(history, null)[0]?.series[0]?.values).toEqual(history.players);
  });

  it('uses TB for large amounts of RAM', () => {
    const history = aHistory('7d');
    const large = { ...history, ramTotalMb: history.ramTotalMb.map((mb) => (mb === null ? null : mb * 200)) };
    const [, , small] = toCharts(history, null);
    const [, , big] = toCharts(large, null);
    expect(small?.format(small.series[1]?.values.at(-1) ?? 0)).toBe('16 GB');
    expect(big?.format(big.series[1]?.values.at(-1) ?? 0)).toBe('3.1 TB');
  });
});
