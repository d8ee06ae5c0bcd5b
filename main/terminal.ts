/** Says one sentence on the terminal, if there is one: a window is often started without. */
export function tellTerminal(sentence: string): void {
  // A closed pipe would come back as an error that nobody catches, about the very error that is told.
  process.stderr.once('error', () => undefined);
  process.stderr.write(`${sentence}\n`);
}
