import { SvelteSet } from 'svelte/reactivity';

/** Returns the title of an open dialog. Undefined if closing the dialog loses no input. */
type Title = () => string | undefined;

/** The open dialogs with a form that a person has changed. */
class EditedDialogs {
  readonly #dialogs = new SvelteSet<Title>();

  /** Titles of the dialogs. Their input is lost if the window is reloaded, or if their screen is left. */
  get titles(): readonly string[] {
    return [...this.#dialogs].map((title) => title()).filter((title) => title !== undefined);
  }

  /** Adds an open dialog. @returns a function that removes the dialog */
  readonly add = (title: Title): (() => void) => {
    this.#dialogs.add(title);
    return () => {
      this.#dialogs.delete(title);
    };
  };
}

export const editedDialogs = new EditedDialogs();
