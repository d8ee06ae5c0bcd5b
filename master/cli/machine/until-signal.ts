/**
 * Runs `work` with a signal that is aborted at SIGINT or SIGTERM, so that `work` can clean up. A second signal of the
 * same kind ends this process.
 */
export async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, abort);
  try {
    return await work(ending.signal);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, abort);
  }
}

/** Waits for `work`. Throws an Error as soon as the signal is aborted; `work` then continues by itself. */
export async function orInterrupted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let interrupt = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(new Error('it was interrupted'));
  });
  signal?.addEventListener('abort', interrupt);
  if (signal?.aborted === true) interrupt();
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}
