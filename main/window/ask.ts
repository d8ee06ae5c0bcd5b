import { dialog, type BrowserWindow } from 'electron';

/**
 * A question that the page must not answer for the person. Callers pass names that come from the page or a master
 * through `visibleName`, which makes invisible characters visible.
 */
export interface DialogQuestion {
  /** Title of the dialog: its subject. */
  readonly title: string;
  /** The question itself. */
  readonly message: string;
  /** What a person needs to know to decide. */
  readonly detail: string;
  /** Label of the confirming button: a verb. */
  readonly confirm: string;
  /** Label of a checkbox, if there is one. */
  readonly remember?: string;
}

/** The answer. `confirmed`: the person pressed the confirming button. `remember`: the person ticked the checkbox. */
export interface DialogAnswer {
  readonly confirmed: boolean;
  readonly remember: boolean;
}

/** Asks a person in a dialog of the system, which the page can neither cover nor answer. */
export type Ask = (question: DialogQuestion) => Promise<DialogAnswer>;

const NO: DialogAnswer = { confirmed: false, remember: false };

/**
 * Returns a function that asks in a dialog over the app's window. Closing the dialog means no. While a question is
 * open, the function answers any other question with no. Otherwise a page could queue dialogs until a person confirms
 * one unread.
 *
 * @param windowOf returns the window; null before it is open and after it is closed, when no question can be shown
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
        title,
        message,
        detail,
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
