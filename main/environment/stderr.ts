/** Prints a sentence to the terminal, if there is one. Apps are often started without. */
export function writeToStderr(sentence: string): void {
  // A closed pipe would raise an uncaught error about this message.
  process.stderr.once('error', () => undefined);
  process.stderr.write(`${sentence}\n`);
}
