/** A short message at the window's edge: done, or failed with its sentence. */
export interface Toast {
  readonly id: number;
  readonly hue: 'ok' | 'bad' | 'neutral';
  readonly text: string;
  readonly action?: { readonly label: string; readonly onselect: () => void } | undefined;
  /** Takes back what was done. */
  readonly undo?: (() => void) | undefined;
}

/** How long good news stays, ms. Bad news stays until it is closed. */
const STAYS_MS = 5000;
/** The same where there is something to undo: somebody has to see the mistake first. */
const UNDO_STAYS_MS = 15_000;
/** More than this at once cannot be read; the oldest goes. */
const MOST = 4;

/** Bad news that was shown is kept to be read again, at most so many. */
const KEPT = 50;

/** A message that was shown and may have been closed unread. */
export interface PastToast {
  readonly id: number;
  readonly text: string;
  /** Ms since epoch. */
  readonly at: number;
}

class Toasts {
  list = $state<readonly Toast[]>([]);
  /** What failed while the window was open, newest first. */
  past = $state.raw<readonly PastToast[]>([]);
  /** Those of `past` that nobody has looked at. */
  unseen = $state(0);
  #next = 1;

  /**
   * Says that something is done. Goes by itself.
   *
   * @returns its id, to close it sooner
   */
  readonly done = (text: string, action?: Toast['action'], undo?: Toast['undo']): number =>
    this.#add({ hue: 'ok', text, action, undo });

  /** Shows why something failed. Stays until closed. */
  readonly failed = (error: Error): void => {
    this.past = [{ id: this.#next, text: error.message, at: Date.now() }, ...this.past].slice(0, KEPT);
    this.unseen += 1;
    this.#add({ hue: 'bad', text: error.message });
  };

  /** Somebody has looked at what failed. */
  readonly see = (): void => {
    this.unseen = 0;
  };

  /** Forgets what failed. */
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
