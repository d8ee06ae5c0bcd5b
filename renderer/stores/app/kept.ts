/** Parses a value that the window stored as JSON. Returns null if the value is missing or is not valid JSON. */
export function parseKept(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
