/** Prints a sentence to the terminal, if there is one. Apps are often started without one. */
export function writeToStderr(sentence: string): void {
  // Without a listener a closed pipe would raise an uncaught error.
  process.stderr.once('error', () => undefined);
  process.stderr.write(`${sentence}\n`);
}
