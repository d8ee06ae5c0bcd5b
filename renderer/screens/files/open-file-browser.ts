import { FileBrowser } from './file-browser.svelte.ts';

let browser: FileBrowser | undefined;

/** Returns the window's only file browser state, which outlives the screen. */
export function fileBrowser(): FileBrowser {
  browser ??= new FileBrowser();
  return browser;
}

/** Resets the state, as in a new window. */
export function resetFileBrowser(): void {
  browser = undefined;
}
