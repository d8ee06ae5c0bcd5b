import axe from 'axe-core';
import type { Page } from 'playwright/test';

/**
 * Impacts that count as barriers. Lesser findings are only advice, except for landmarks, by which screen readers
 * navigate.
 */
const BARRIERS = ['serious', 'critical'];

/** Loads axe into the page. Once per page is enough. */
export async function loadAxe(window: Page): Promise<void> {
  await window.evaluate(axe.source);
}

/** Returns the barriers that axe finds, one line each. */
export async function barriers(window: Page): Promise<string[]> {
  const found = await window.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return found.violations
    .filter(({ id, impact }) => BARRIERS.includes(impact ?? '') || id.startsWith('landmark-'))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`).join(' | ')}`,
    );
}
