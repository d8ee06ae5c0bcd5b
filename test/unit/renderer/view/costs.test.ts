import { describe, expect, it } from 'vitest';
import { toCostWords } from '#renderer/view/costs.ts';
import { toMoney } from '#renderer/view/format/money.ts';
import { aCosts, AT } from '#test/support/app/models.ts';

describe('toCostWords (describes the cost of this month)', () => {
  it('returns null if there are no cloud nodes and none can be ordered', () => {
    expect(toCostWords(aCosts(), AT)).toBeNull();
  });

  it('names the first recorded day if it is not the first day of the month', () => {
    const costs = { canRent: true, perHour: 0.0624, month: 12.4, rentedNodes: 2 };
    const first = Date.UTC(2026, 2, 1);
    expect(toCostWords(aCosts({ ...costs, monthSince: first }), AT)).toEqual({
      perHour: '€0.062 / h',
      month: '€12.40 this month',
      forecast: null,
    });
    const later = toCostWords(aCosts({ ...costs, monthSince: Date.UTC(2026, 2, 9) }), Date.UTC(2026, 2, 20));
    expect(later?.month).toMatch(/^€12\.40 since .*9/);
  });

  it('contains the forecast for the month, and the limit if one is set', () => {
    const costs = aCosts({ canRent: true, month: 12.4, monthForecast: 31.5 });
    expect(toCostWords(costs, AT)?.forecast).toBe('€31.50 by its end');
    expect(toCostWords(costs, AT, 40)?.forecast).toBe('€31.50 by its end, at most €40.00');
  });

  it('includes nodes that were released in this month', () => {
    expect(toCostWords(aCosts({ month: 3 }), AT)?.month).toContain('€3.00');
  });
});

it.each([
  [0, '€0.00'],
  [0.0312, '€0.031'],
  [1, '€1.00'],
  [1234.5, '€1,234.50'],
])('toMoney of %s is %s', (eur, words) => expect(toMoney(eur)).toBe(words));
