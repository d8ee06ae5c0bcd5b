import { SvelteSet } from 'svelte/reactivity';
import { MAX_UNSAVED } from '#shared/ipc/contract.ts';
import { request } from '../../bridge/bridge.ts';

/** Names what of one kind is typed and not saved: "template lobby". */
type Names = () => readonly string[];

/** Reactive: a kind whose screen is read later is heard of when it comes. */
const kinds = new SvelteSet<Names>();

/** Where work may be lost when the window begins anew (another master), its keeper says here what is not saved. */
export function tellsUnsaved(names: Names): void {
  kinds.add(names);
}

/** Everything that is typed and not saved, in words. */
export function allUnsaved(): readonly string[] {
  return [...kinds].flatMap((names) => names());
}

/** Keeps main told of it, which asks before the app ends. @returns stops it */
export function tellMainUnsaved(): () => void {
  return $effect.root(() => {
    // As one text: typing on in a file that is not saved already is no news.
    const told = $derived(JSON.stringify(allUnsaved().slice(0, MAX_UNSAVED)));
    $effect(() => {
      const names = JSON.parse(told) as string[];
      // Main is this program: when it cannot hear it cannot ask either.
      request('app.unsaved', { names }).catch(() => undefined);
    });
  });
}
