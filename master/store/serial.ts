/** Runs one task at a time, in the sequence of the calls. A failed task does not block the others. */
export type Serial = <R>(work: () => Promise<R>) => Promise<R>;

/** Creates a queue that runs tasks one after the other. */
export function serialQueue(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}
