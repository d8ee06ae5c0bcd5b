import axe from 'axe-core';
import type { Page } from 'playwright/test';

/** What bars people from using a screen; lesser findings are advice, but for landmarks: who cannot see jumps from one to the next. */
const BARRIERS = ['serious', 'critical'];

/** Puts axe into the page; once is enough while it lives. */
export async function loadAxe(window: Page): Promise<void> {
  await window.evaluate(axe.source);
}

/** What axe finds that bars somebody, one line each. */
export async function barriers(window: Page): Promise<string[]> {
  const found = await window.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return found.violations
    .filter(({ id, impact }) => BARRIERS.includes(impact ?? '') || id.startsWith('landmark-'))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`).join(' | ')}`,
    );
}
