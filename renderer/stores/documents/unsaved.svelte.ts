import { SvelteSet } from 'svelte/reactivity';
import { MAX_UNSAVED } from '#shared/ipc/contract.ts';
import { request } from '../../bridge/bridge.ts';
import { editedDialogs } from '../../ui/overlay/edited-dialogs.svelte.ts';

/** A function that returns the names of the unsaved documents, forms or tasks of one kind, such as "template lobby". */
type Names = () => readonly string[];

/**
 * Registered functions, one per kind. The set is reactive, because a kind is registered only when its screen loads.
 */
const kinds = new SvelteSet<Names>();

/**
 * Registers a kind of document or form whose unsaved input would be lost when the window is reloaded, for example
 * when the person switches to another master. Also registers tasks that the window itself carries out, because a
 * reload ends them halfway.
 *
 * @returns a function that removes the kind
 */
export function registerUnsaved(names: Names): () => void {
  kinds.add(names);
  return () => {
    kinds.delete(names);
  };
}

/** Returns the names of the changed forms in open dialogs. */
export function unsavedForms(): readonly string[] {
  return editedDialogs.titles.map((title) => `form “${title}”`);
}

registerUnsaved(unsavedForms);

/** Returns the names of all unsaved documents and forms of all kinds. */
export function allUnsaved(): readonly string[] {
  return [...kinds].flatMap((names) => names());
}

/**
 * Reports the names of unsaved documents and forms to the main process, so that it can ask before the app quits.
 *
 * @returns a function that stops the reports
 */
export function reportUnsaved(): () => void {
  return $effect.root(() => {
    // The names are compared as one text. So typing in a document that is already unsaved sends nothing.
    const reported = $derived(JSON.stringify(allUnsaved().slice(0, MAX_UNSAVED)));
    $effect(() => {
      const names = JSON.parse(reported) as string[];
      // A failure is ignored: a main process that cannot be reached cannot ask either.
      request('app.unsaved', { names }).catch(() => undefined);
    });
  });
}
