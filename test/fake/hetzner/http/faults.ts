/** Fault of a request. With `answer lost` and `slow` the request is still carried out. */
export type FaultKind =
  /** The request is carried out, then the connection is closed without an answer. */
  | { readonly kind: 'answer lost' }
  /** The connection is closed immediately; nothing is carried out. */
  | { readonly kind: 'cut' }
  /** A gateway's HTML page; with `after`, the request is still carried out. */
  | { readonly kind: 'bad gateway'; readonly after?: boolean }
  /** 500 without a body; with `after`, the request is still carried out. */
  | { readonly kind: 'empty 500'; readonly after?: boolean }
  /** The request is carried out and answered with 200 and a body that is not JSON. */
  | { readonly kind: 'unreadable' }
  /** The request is carried out immediately, and answered after this time (real ms). */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The request is refused with this error. */
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly code: string;
      readonly message?: string;
      readonly details?: Record<string, unknown>;
    };

export type Fault = FaultKind & {
  /** HTTP method; default: any. */
  readonly method?: string;
  /** Pattern of the path below `/v1`, such as `/servers/12`; default: any. */
  readonly path?: RegExp;
  /** Number of requests affected; default 1. `Infinity` means until {@link Faults.clear}. */
  readonly times?: number;
};

/** Faults that are pending for matching requests. */
export class Faults {
  #waiting: { fault: Fault; left: number }[] = [];
  #actions: { command: string; left: number }[] = [];
  #chooser: (method: string, path: string) => FaultKind | undefined = () => undefined;

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Makes the next actions with this command, such as `start_server`, end in `error`. */
  failAction(command: string, times = 1): void {
    this.#actions.push({ command, left: times });
  }

  /** Calls `chooser` for each request without a pending fault. */
  choose(chooser: (method: string, path: string) => FaultKind | undefined): void {
    this.#chooser = chooser;
  }

  /** Removes all pending faults. */
  clear(): void {
    this.#chooser = () => undefined;
    this.#waiting = [];
    this.#actions = [];
  }

  /** Removes and returns the fault for a request, if there is one. */
  take(method: string, path: string): FaultKind | undefined {
    const index = this.#waiting.findIndex(
      ({ fault }) => (fault.method ?? method) === method && (fault.path?.test(path) ?? true),
    );
    const entry = this.#waiting[index];
    if (entry === undefined) return this.#chooser(method, path);
    entry.left -= 1;
    if (entry.left <= 0) this.#waiting.splice(index, 1);
    return entry.fault;
  }

  takeAction(command: string): boolean {
    const index = this.#actions.findIndex((entry) => entry.command === command);
    const entry = this.#actions[index];
    if (entry === undefined) return false;
    entry.left -= 1;
    if (entry.left <= 0) this.#actions.splice(index, 1);
    return true;
  }
}
