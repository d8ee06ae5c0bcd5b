import { Desk } from './file-browser.svelte.ts';

let desk: Desk | undefined;

/** The one desk of this window: what was chosen and where one stood is there again after an editor or another screen. */
export function theDesk(): Desk {
  desk ??= new Desk();
  return desk;
}

/** Begins anew, as a new window does. */
export function forgetDesk(): void {
  desk = undefined;
}
