/** Fault that affects a request. With some faults, the request is still executed. */
export type FaultKind =
  /** Executes the request, then closes the connection without an answer. */
  | { readonly kind: 'answer lost' }
  /** Closes the connection immediately; the request is not executed. */
  | { readonly kind: 'cut' }
  /** Answers with a gateway's HTML page. With `after`, executes the request first; otherwise does not execute it. */
  | { readonly kind: 'bad gateway'; readonly after?: boolean }
  /** Answers with status 500 and no body. With `after`, executes the request first; otherwise does not execute it. */
  | { readonly kind: 'empty 500'; readonly after?: boolean }
  /** Executes the request, and answers with status 200 and a body that is not JSON. */
  | { readonly kind: 'unreadable' }
  /** Executes the request immediately, and answers after this time (ms of real time). */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Refuses the request with this error. */
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
  /** Number of affected requests; default 1. `Infinity` affects all requests until {@link Faults.clear}. */
  readonly times?: number;
};

/** Chooses the fault of a request; `query` is empty or begins with a question mark. */
type Chooser = (method: string, path: string, query: string) => FaultKind | undefined;

/** Faults to apply to the next matching requests. */
export class Faults {
  #waiting: { fault: Fault; left: number }[] = [];
  #actions: { command: string; left: number }[] = [];
  #chooser: Chooser = () => undefined;

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Makes the next actions with this command, such as `start_server`, end with the status `error`. */
  failAction(command: string, times = 1): void {
    this.#actions.push({ command, left: times });
  }

  /** Sets a function that chooses the fault of a request if no waiting fault matches the request. */
  choose(chooser: Chooser): void {
    this.#chooser = chooser;
  }

  /** Removes all faults, including those of actions and the function of {@link Faults.choose}. */
  clear(): void {
    this.#chooser = () => undefined;
    this.#waiting = [];
    this.#actions = [];
  }

  /** Returns the fault for a request, if there is one, and counts it as used. */
  take(method: string, path: string, query: string): FaultKind | undefined {
    const index = this.#waiting.findIndex(
      ({ fault }) => (fault.method ?? method) === method && (fault.path?.test(path) ?? true),
    );
    const entry = this.#waiting[index];
    if (entry === undefined) return this.#chooser(method, path, query);
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
