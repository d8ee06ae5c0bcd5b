/** Runs one piece of work at a time, in the order in which they were handed over; a failed one does not hold up the rest. */
export type Serial = <R>(work: () => Promise<R>) => Promise<R>;

/** Makes the queue of one writer. */
export function serialQueue(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}
