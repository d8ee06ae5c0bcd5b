import { dialog, type BrowserWindow } from 'electron';

/** A question that the page must not answer for the person. Texts that others chose come as `visibleName` shows them. */
export interface Question {
  /** Title of the dialog: what it is about. */
  readonly title: string;
  /** The question itself. */
  readonly message: string;
  /** What a person needs to decide it. */
  readonly detail: string;
  /** The button that says yes: a verb. */
  readonly confirm: string;
  /** A box to tick beside it, if there is one. */
  readonly remember?: string;
}

/** The answer. `remember`: the box was ticked. */
export interface Answer {
  readonly confirmed: boolean;
  readonly remember: boolean;
}

/** Asks a person by a dialog of the system, which the page can neither draw over nor press. */
export type Ask = (question: Question) => Promise<Answer>;

const NO: Answer = { confirmed: false, remember: false };

/**
 * Asks over the app's window. Closing the dialog means no, as does a second question while one is open: a person who
 * reads one cannot have asked for another, and a page must not be able to pile them up until one is confirmed unread.
 *
 * @param windowOf the window; null before it is open and after it is closed: nobody can be asked then
 */
export function askOver(windowOf: () => BrowserWindow | null): Ask {
  let open = false;
  return async ({ title, message, detail, confirm, remember }) => {
    const window = windowOf();
    if (open || window === null || window.isDestroyed()) return NO;
    open = true;
    try {
      const { response, checkboxChecked } = await dialog.showMessageBox(window, {
        type: 'warning',
        ...{ title, message, detail },
        buttons: ['Cancel', confirm],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
        ...(remember === undefined ? {} : { checkboxLabel: remember }),
      });
      const confirmed = response === 1;
      return { confirmed, remember: confirmed && checkboxChecked };
    } finally {
      open = false;
    }
  };
}
