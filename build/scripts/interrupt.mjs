const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Does work that makes something temporary, and takes it away again however the work ends: done, failed, or
 * interrupted by Ctrl+C (then the process ends after the clean-up, as it would have without).
 *
 * @template T
 * @param {() => void} cleanUp synchronous, may be called when there is nothing to do
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withCleanUp(cleanUp, work) {
  const interrupted = (/** @type {NodeJS.Signals} */ signal) => {
    cleanUp();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  for (const signal of signals) process.on(signal, interrupted);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
    cleanUp();
  }
}

/**
 * Does work during which a signal is passed to `handler` instead of ending the process.
 *
 * @template T
 * @param {(signal: NodeJS.Signals) => void} handler
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSignals(handler, work) {
  for (const signal of signals) process.on(signal, handler);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, handler);
  }
}
