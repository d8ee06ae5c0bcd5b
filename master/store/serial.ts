/** Runs one task at a time, in the order of the calls. A failed task does not block the others. */
export type Serial = <R>(work: () => Promise<R>) => Promise<R>;

/** Creates the queue of one writer. */
export function serialQueue(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}
