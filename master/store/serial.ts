/** Runs one task at a time, in the sequence of the calls. A failed task does not block the others. */
export type Serial = <R>(work: () => Promise<R>) => Promise<R>;

/** Creates a queue for each key. Tasks with different keys do not wait for each other. */
export function serialQueues(): (key: string) => Serial {
  const queues = new Map<string, Serial>();
  return (key) => {
    const queue = queues.get(key) ?? serialQueue();
    queues.set(key, queue);
    return queue;
  };
}

/** Creates a queue that runs tasks one after the other. */
export function serialQueue(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  };
}
