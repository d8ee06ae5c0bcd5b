const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs work that creates temporary files. Cleans up after success, failure and Ctrl+C. After Ctrl+C, the process
 * exits.
 *
 * @template T
 * @param {() => void} cleanUp synchronous; may be called when there is nothing to do
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
 * Runs work during which signals are passed to `handler` instead of ending the process.
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
