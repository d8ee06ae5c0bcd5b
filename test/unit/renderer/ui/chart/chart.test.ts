import { render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Chart from '#renderer/ui/chart/Chart.svelte';
import { ChartCursor } from '#renderer/ui/chart/chart-cursor.svelte.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';

/** Properties that force a layout of the whole page when they are read. */
const measures = ['clientWidth', 'clientHeight', 'offsetWidth', 'offsetHeight', 'offsetTop'] as const;

describe('Chart (component)', () => {
  let stop = (): void => undefined;
  beforeEach(() => (stop = pretendLayout({ width: 400, height: 132 })));
  afterEach(() => stop());

  it('is created without reading layout properties, which would be slow', () => {
    const reads = vi.fn();
    for (const name of measures) {
      Object.defineProperty(HTMLElement.prototype, name, {
        configurable: true,
        get: () => {
          reads(name);
          return 400;
        },
      });
    }
    render(Chart, {
      title: 'Players',
      at: [1, 2, 3],
      series: [{ id: 'players', label: 'players', kind: 'area', tone: 'accent', values: [1, 2, 3] }],
      cursor: new ChartCursor(),
      format: String,
      formatTick: String,
      formatAt: String,
      formatTime: String,
    });
    expect(screen.getByRole('slider', { name: 'Players over time' })).toBeTruthy();
    expect(reads).not.toHaveBeenCalled();
  });
});
