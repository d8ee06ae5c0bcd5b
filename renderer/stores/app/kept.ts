/** Parses a value that the window stored as JSON. Returns undefined if it is incomplete or missing. */
export function parseKept(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
