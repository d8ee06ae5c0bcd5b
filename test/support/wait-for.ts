/**
 * Waits until a condition holds, looking again every few milliseconds: the tests' only way to wait.
 *
 * @param condition returns a value once it holds; `undefined`, `null` or `false` (or throwing) mean "not yet"
 * @param options.timeoutMs gives up after this time, with the last error or `what` in the message; by default long enough
 *   for a machine with other work
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const { timeoutMs = 45_000, what = 'the condition' } = options;
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>;
      }
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last);
      throw new Error(`waited ${timeoutMs} ms for ${what}; last seen: ${seen}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
