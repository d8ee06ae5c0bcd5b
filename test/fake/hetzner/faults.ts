/** What goes wrong with a request. `answer lost` and `slow` carry it out all the same. */
export type FaultKind =
  /** Carried out, then the connection is cut without an answer. */
  | { readonly kind: 'answer lost' }
  /** The connection is cut at once; nothing is carried out. */
  | { readonly kind: 'cut' }
  /** A gateway's page in HTML; with `after` it was carried out all the same. */
  | { readonly kind: 'bad gateway'; readonly after?: boolean }
  /** 500 without a body; with `after` it was carried out all the same. */
  | { readonly kind: 'empty 500'; readonly after?: boolean }
  /** Carried out, and 200 with a body that is no JSON. */
  | { readonly kind: 'unreadable' }
  /** Carried out at once, answered after this time (real, ms). */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Refused with this error. */
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly code: string;
      readonly message?: string;
      readonly details?: Record<string, unknown>;
    };

export type Fault = FaultKind & {
  /** Left out: every method. */
  readonly method?: string;
  /** Tested against the path below `/v1`, such as `/servers/12`; left out: every path. */
  readonly path?: RegExp;
  /** So many requests; 1. `Infinity`: until {@link Faults.clear}. */
  readonly times?: number;
};

/** Faults that wait for their request. */
export class Faults {
  #waiting: { fault: Fault; left: number }[] = [];
  #actions: { command: string; left: number }[] = [];
  #chooser: (method: string, path: string) => FaultKind | undefined = () => undefined;

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** The next actions with this command, such as `start_server`, end in `error`. */
  failAction(command: string, times = 1): void {
    this.#actions.push({ command, left: times });
  }

  /** Asks for each request that no other fault waits for. */
  choose(chooser: (method: string, path: string) => FaultKind | undefined): void {
    this.#chooser = chooser;
  }

  /** Forgets all that still wait. */
  clear(): void {
    this.#chooser = () => undefined;
    this.#waiting = [];
    this.#actions = [];
  }

  /** Takes the fault for a request, if there is one. */
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
