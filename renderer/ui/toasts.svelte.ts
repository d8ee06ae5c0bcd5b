/** A short message at the window's edge: done, or failed with its sentence. */
export interface Toast {
  readonly id: number;
  readonly hue: 'ok' | 'bad' | 'neutral';
  readonly text: string;
  readonly action?: { readonly label: string; readonly onselect: () => void } | undefined;
}

/** How long good news stays, ms. Bad news stays until it is closed. */
const STAYS_MS = 5000;
/** More than this at once cannot be read; the oldest goes. */
const MOST = 4;

class Toasts {
  list = $state<readonly Toast[]>([]);
  #next = 1;

  /** Says that something is done. Goes by itself. */
  readonly done = (text: string, action?: Toast['action']): void => this.#add({ hue: 'ok', text, action });

  /** Shows why something failed. Stays until closed. */
  readonly failed = (error: Error): void => this.#add({ hue: 'bad', text: error.message });

  readonly close = (id: number): void => {
    this.list = this.list.filter((toast) => toast.id !== id);
  };

  #add(toast: Omit<Toast, 'id'>): void {
    const id = this.#next++;
    this.list = [...this.list.slice(1 - MOST), { ...toast, id }];
    if (toast.hue !== 'bad') setTimeout(() => this.close(id), STAYS_MS);
  }
}

export const toasts = new Toasts();
