import type { Page } from 'playwright';

/** Clicks and time that a person needs to create the first network. */
export interface FirstNetwork {
  /** Number of clicks from the overview of a new master until the join address is copied. */
  readonly clicks: number;
  /** Time from the first click until the join address is copied (s). */
  readonly seconds: number;
  /** Address that players enter, such as `127.0.0.1`. */
  readonly address: string;
}

/** Maximum time until all services of the network run on a busy machine (ms). */
const RUNNING_WITHIN_MS = 120_000;

/** Creates a network of practice servers in the window of a new master, as a first-time user does with the mouse. */
export async function createFirstNetwork(window: Page): Promise<FirstNetwork> {
  await window.evaluate(COUNT_CLICKS);
  const began = performance.now();
  await window.getByRole('button', { name: 'Create a network' }).click();
  const dialog = window.getByRole('dialog', { name: 'Create a network' });
  await dialog.getByRole('button', { name: 'Create network' }).click();
  const running = window.getByRole('dialog', { name: 'Your network is running' });
  await running.getByRole('button', { name: 'Copy join address' }).click({ timeout: RUNNING_WITHIN_MS });
  const copied = window.getByText(/^Copied \S+$/);
  await copied.waitFor();
  const seconds = (performance.now() - began) / 1000;
  const address = ((await copied.textContent()) ?? '').replace(/^\s*Copied\s+/, '').trim();
  return { clicks: await window.evaluate<number>('window.clicks'), seconds, address };
}

/**
 * Script for the page that counts mouse clicks. It does not count clicks that a key causes, which have no `detail`.
 */
const COUNT_CLICKS = `(() => {
  window.clicks = 0;
  document.addEventListener('click', ({ detail }) => { if (detail > 0) window.clicks += 1; }, true);
})()`;
