import { z } from 'zod';
import { RememberedDocument } from '../app/remembered-document.svelte.ts';
import { link } from '../connection/link.svelte.ts';

/**
 * Maximum number of open tabs. A person cannot keep track of more. In addition, the master limits the number of
 * followed logs to 64 per connection. A merged log follows one log per service.
 */
export const MOST_TABS = 12;

const tabSchema = z.strictObject({ kind: z.enum(['service', 'template']), id: z.string().max(64) });
/** An open console: the console of a service, or the merged log of a template. */
export type ConsoleTab = z.infer<typeof tabSchema>;

const kept = new RememberedDocument(
  () => keyOf(link.value?.connection),
  z.strictObject({ tabs: z.array(tabSchema).max(MOST_TABS), shown: z.string().nullable() }),
  { tabs: [], shown: null },
);

/** Returns the key of a connection's tabs. Other masters have other services, even of the same ids. */
function keyOf(connection: string | undefined): string {
  // `app.remember` accepts keys of at most 64 characters.
  return `consoles.${connection ?? ''}`.slice(0, 64);
}

/** Returns the unique key of a tab. */
export function tabKey({ kind, id }: ConsoleTab): string {
  return `${kind} ${id}`;
}

/** The consoles that are open in tabs. Stored across restarts, separately for each connection. */
class ConsoleTabs {
  readonly list: readonly ConsoleTab[] = $derived(kept.value.tabs);
  /** Key of the active tab. Null if there are no tabs. */
  readonly shown: string | null = $derived(
    kept.value.shown ?? (kept.value.tabs[0] === undefined ? null : tabKey(kept.value.tabs[0])),
  );

  readonly restore = kept.restore;

  /** Returns why `more` further tabs cannot be opened. Undefined if they can be. */
  readonly refusal = (more: number): string | undefined =>
    this.list.length + more > MOST_TABS ? `At most ${MOST_TABS} consoles can be open at a time` : undefined;

  /**
   * Activates the tab of a console. If the tab is not open, opens it, unless the maximum number of tabs is reached.
   */
  readonly open = (tab: ConsoleTab): void => {
    const key = tabKey(tab);
    const { tabs } = kept.value;
    const isOpen = tabs.some((other) => tabKey(other) === key);
    if (!isOpen && tabs.length >= MOST_TABS) return;
    kept.set({ tabs: isOpen ? tabs : [...tabs, tab], shown: key });
  };

  readonly show = (key: string): void => kept.set({ ...kept.value, shown: key });

  /** Closes a tab. If it was active, its neighbour becomes active. */
  readonly close = (key: string): void => {
    const { tabs, shown } = kept.value;
    const at = tabs.findIndex((tab) => tabKey(tab) === key);
    if (at === -1) return;
    const left = tabs.toSpliced(at, 1);
    const neighbour = left[Math.min(at, left.length - 1)];
    kept.set({
      tabs: left,
      shown: shown === key || shown === null ? (neighbour === undefined ? null : tabKey(neighbour)) : shown,
    });
  };
}

export const consoleTabs = new ConsoleTabs();
