/** Reads what the window remembered as JSON. What was written half, or never, counts as nothing. */
export function parseKept(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
