/** A short message at the window's edge about a success, or about a failure with its reason. */
export interface Toast {
  readonly id: number;
  readonly hue: 'ok' | 'warn' | 'bad';
  readonly text: string;
  readonly action?: { readonly label: string; readonly onselect: () => void } | undefined;
  /** Undoes the action. */
  readonly undo?: (() => void) | undefined;
}

/** Display time of a success (ms). A failure stays until it is closed. */
const STAYS_MS = 5000;
/** Display time of a success that can be undone (ms), long enough to notice a mistake. */
const UNDO_STAYS_MS = 15_000;
/** Maximum number of messages shown. The oldest one is removed. */
const MOST = 4;

/** Maximum number of failures kept for later reading. */
const KEPT = 50;

/** A message that was shown earlier. The person may have closed it without reading it. */
export interface PastToast {
  readonly id: number;
  readonly text: string;
  /** Time at which the message was shown (ms since epoch). */
  readonly at: number;
}

class Toasts {
  list = $state<readonly Toast[]>([]);
  /** Failures since the window was opened, newest first. */
  past = $state.raw<readonly PastToast[]>([]);
  /** Number of entries in `past` that have not been seen. */
  unseen = $state(0);
  #next = 1;

  /**
   * Shows a success. The message disappears automatically.
   *
   * @returns the id of the message, with which it can be closed earlier
   */
  readonly done = (text: string, action?: Toast['action'], undo?: Toast['undo']): number =>
    this.#add({ hue: 'ok', text, action, undo });

  /** Shows a message about something unexpected that is not a failure. The message disappears automatically. */
  readonly warn = (text: string, action?: Toast['action']): number =>
    this.#add({ hue: 'warn', text, action });

  /** Shows why something failed. The message stays until the person closes it. */
  readonly failed = (error: Error): void => {
    this.past = [{ id: this.#next, text: error.message, at: Date.now() }, ...this.past].slice(0, KEPT);
    this.unseen += 1;
    this.#add({ hue: 'bad', text: error.message });
  };

  /** Marks the failures as seen. */
  readonly see = (): void => {
    this.unseen = 0;
  };

  /** Removes the kept failures. */
  readonly clearPast = (): void => {
    this.past = [];
    this.unseen = 0;
  };

  readonly close = (id: number): void => {
    this.list = this.list.filter((toast) => toast.id !== id);
  };

  #add(toast: Omit<Toast, 'id'>): number {
    const id = this.#next++;
    this.list = [...this.list.slice(1 - MOST), { ...toast, id }];
    const stays = toast.undo === undefined ? STAYS_MS : UNDO_STAYS_MS;
    if (toast.hue !== 'bad') setTimeout(() => this.close(id), stays);
    return id;
  }
}

export const toasts = new Toasts();
