/**
 * A failure that a person can fix. Its message is one sentence for the terminal: what happened, to what, why, and
 * what to do.
 */
export class SetupError extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = 'SetupError';
  }
}

/**
 * Runs one step and prints a line with its name, outcome and duration.
 *
 * @param {string} name one word, the first on the line
 * @param {() => string | Promise<string>} work resolves to the outcome in a few words ("ready", "installed 3")
 */
export async function step(name, work) {
  const since = performance.now();
  const outcome = await work();
  const seconds = (performance.now() - since) / 1000;
  console.log(`${name.padEnd(16)}${outcome} (${seconds.toFixed(1)} s)`);
}

/**
 * Runs a script's main function. The process then exits with the function's exit code. If the function throws, the
 * process prints one sentence on stderr and exits with 1.
 *
 * @param {() => Promise<number>} main resolves to the exit code
 */
export async function runScript(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(`overworld: ${toSentence(error)}`);
    if (process.env['OVERWORLD_DEBUG'] === '1') console.error(error);
    process.exitCode = 1;
  }
}

/**
 * Returns the sentence that a person reads about an error.
 *
 * @param {unknown} error
 */
function toSentence(error) {
  if (error instanceof SetupError) return error.message;
  const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return `Something unexpected went wrong (${message}); start again with OVERWORLD_DEBUG=1 to see where.`;
}
