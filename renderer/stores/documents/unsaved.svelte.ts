import { SvelteSet } from 'svelte/reactivity';
import { MAX_UNSAVED } from '#shared/ipc/contract.ts';
import { request } from '../../bridge/bridge.ts';

/** Names the unsaved documents of one kind, such as "template lobby". */
type Names = () => readonly string[];

/** Reactive, so that a kind registered later, when its screen loads, is noticed. */
const kinds = new SvelteSet<Names>();

/**
 * Registers a kind of document whose unsaved input would be lost when the window restarts, for example on switching
 * masters.
 */
export function tellsUnsaved(names: Names): void {
  kinds.add(names);
}

/** Returns the names of everything that is unsaved. */
export function allUnsaved(): readonly string[] {
  return [...kinds].flatMap((names) => names());
}

/**
 * Keeps the main process informed about unsaved input, so that it can ask before the app quits. @returns a function
 * that stops it
 */
export function tellMainUnsaved(): () => void {
  return $effect.root(() => {
    // Compared as one text, so that typing in a file that is already unsaved sends nothing.
    const told = $derived(JSON.stringify(allUnsaved().slice(0, MAX_UNSAVED)));
    $effect(() => {
      const names = JSON.parse(told) as string[];
      // The main process belongs to this program: if it cannot be reached, it cannot ask either.
      request('app.unsaved', { names }).catch(() => undefined);
    });
  });
}
