import { Desk } from './file-browser.svelte.ts';

let desk: Desk | undefined;

/** Returns the window's only file browser state, which outlives the screen. */
export function theDesk(): Desk {
  desk ??= new Desk();
  return desk;
}

/** Resets the state, as in a new window. */
export function forgetDesk(): void {
  desk = undefined;
}
