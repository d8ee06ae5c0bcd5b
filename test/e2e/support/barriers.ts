import axe from 'axe-core';
import type { Page } from 'playwright/test';

/**
 * Impacts of findings that count as barriers. Findings about landmarks always count as barriers, because screen
 * readers navigate by landmarks. All other findings are only advice.
 */
const BARRIERS = ['serious', 'critical'];

/** Loads axe into the page. It must be called once per page. */
export async function loadAxe(window: Page): Promise<void> {
  await window.evaluate(axe.source);
}

/** Returns the accessibility barriers that axe finds, one line each. */
export async function barriers(window: Page): Promise<string[]> {
  const found = await window.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return found.violations
    .filter(({ id, impact }) => BARRIERS.includes(impact ?? '') || id.startsWith('landmark-'))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`).join(' | ')}`,
    );
}
