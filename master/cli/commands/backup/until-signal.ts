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
