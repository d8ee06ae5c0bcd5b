import { tick } from 'svelte';

/** Maximum time to wait for the list of a screen that was just opened (ms). */
const LIST_WITHIN_MS = 2_000;

const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

/** The element last focused in each pane, so that F6 returns to it. */
const lastFocused = new WeakMap<Element, HTMLElement>();

/**
 * Stores the element that gets the focus as the last focused element of its pane. Must be called for each `focusin`
 * event of the window.
 */
export function rememberFocus({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return;
  const pane = paneOf(target);
  if (pane !== null) lastFocused.set(pane, target);
}

/**
 * Moves the focus to the next or previous pane (title bar, navigation, screen, side panel, messages). Skips panes
 * without anything focusable.
 */
export function movePane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (pane) => pane.closest('[inert]') === null && entryOf(pane) !== null,
  );
  if (panes.length === 0) return;
  const at = panes.indexOf(paneOf(document.activeElement) as HTMLElement);
  const next = at === -1 ? 0 : (at + step + panes.length) % panes.length;
  const pane = panes[next];
  if (pane !== undefined) entryOf(pane)?.focus();
}

/** Returns the innermost pane around an element. */
function paneOf(element: Element | null): Element | null {
  return element?.closest('[data-pane]') ?? null;
}

/**
 * Returns the element to focus in a pane: the element that had the focus last, or else the pane's list, or else the
 * first focusable element.
 */
function entryOf(pane: HTMLElement): HTMLElement | null {
  const last = lastFocused.get(pane);
  if (last?.isConnected === true && paneOf(last) === pane) return last;
  const inPane = (element: HTMLElement): boolean =>
    paneOf(element) === pane && element.closest('[inert]') === null;
  const grid = gridIn(pane);
  if (grid !== null && inPane(grid)) return grid;
  return [...pane.querySelectorAll<HTMLElement>(FOCUSABLE)].find(inPane) ?? null;
}

/**
 * Returns a list that has rows. Skips empty lists: the filter of such a list would receive the letters of shortcuts.
 */
function gridIn(root: ParentNode): HTMLElement | null {
  const grids = [...root.querySelectorAll<HTMLElement>('[role=grid], [role=treegrid]')];
  return grids.find((grid) => grid.closest('[inert]') === null && hasRows(grid)) ?? null;
}

/** Whether a table has rows. `aria-rowcount` counts its header as one row. */
function hasRows(grid: HTMLElement): boolean {
  return grid.getAttribute('aria-rowcount') !== '1';
}

/**
 * Focuses the screen that was just opened: its list, or its heading if there is no list yet. If a list appears within
 * 2 s, it gets the focus, unless the person has moved the focus in the meantime.
 *
 * @param taken whether to leave the focus unchanged if an element of the screen, such as a field, already has the
 *   focus
 */
export async function focusScreen({ taken = false } = {}): Promise<void> {
  await tick();
  const main = document.querySelector('main');
  if (main === null || (taken && main.contains(document.activeElement))) return;
  if (focusList(main)) return;
  const heading = main.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
  const observer = new MutationObserver(() => {
    const { activeElement } = document;
    // If something else has the focus, the person has moved it meanwhile.
    const waits = activeElement === heading || activeElement === document.body;
    if (!waits || focusList(main)) observer.disconnect();
  });
  observer.observe(main, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), LIST_WITHIN_MS);
}

function focusList(main: Element): boolean {
  const grid = gridIn(main);
  grid?.focus();
  return grid !== null;
}
