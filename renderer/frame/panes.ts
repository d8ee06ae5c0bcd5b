import { tick } from 'svelte';

/** How long a screen may take to show its list after it was opened (ms). */
const LIST_WITHIN_MS = 2_000;

const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

/** What had the focus last in each pane, so that F6 comes back to it. */
const lastFocused = new WeakMap<Element, HTMLElement>();

/** Remembers what has the focus in its pane. To be called at each `focusin` of the window. */
export function rememberFocus({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return;
  const pane = paneOf(target);
  if (pane !== null) lastFocused.set(pane, target);
}

/**
 * Moves the focus to the next pane (title bar, navigation, screen, side panel, messages), or to the previous one; panes
 * without anything to focus are skipped.
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

/** The innermost pane around an element. */
function paneOf(element: Element | null): Element | null {
  return element?.closest('[data-pane]') ?? null;
}

/** Where the focus goes in a pane: where it was last, else to its list, else to the first thing that takes it. */
function entryOf(pane: HTMLElement): HTMLElement | null {
  const last = lastFocused.get(pane);
  if (last?.isConnected === true && paneOf(last) === pane) return last;
  const inPane = (element: HTMLElement): boolean =>
    paneOf(element) === pane && element.closest('[inert]') === null;
  const grid = gridIn(pane);
  if (grid !== null && inPane(grid)) return grid;
  return [...pane.querySelectorAll<HTMLElement>(FOCUSABLE)].find(inPane) ?? null;
}

/** A list with rows. In an empty one letters would go to its filter, where shortcuts are of more use. */
function gridIn(root: ParentNode): HTMLElement | null {
  const grids = [...root.querySelectorAll<HTMLElement>('[role=grid], [role=treegrid]')];
  return grids.find((grid) => grid.closest('[inert]') === null && hasRows(grid)) ?? null;
}

/** The row of headings counts as one. */
function hasRows(grid: HTMLElement): boolean {
  return grid.getAttribute('aria-rowcount') !== '1';
}

/**
 * Puts the focus on the screen that was just opened: on its list, or on its heading until the list is there, or where
 * there is none.
 *
 * @param taken leaves the focus where it is if something in the screen has taken it already, such as a field
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
    // The person went on in the meantime.
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
