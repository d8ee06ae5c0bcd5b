/**
 * Waits until a condition holds. Checks the condition every 20 ms. Tests use no other way to wait for a condition.
 *
 * @param condition returns a value when it holds; `undefined`, `null`, `false` or an exception mean "not yet"
 * @param options.timeoutMs time limit (ms), after which an error is thrown; default 90,000, which suits a busy
 *   machine
 * @param options.what name of the condition in the message of the error; the message also contains the last value or
 *   error
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const { timeoutMs = 90_000, what = 'the condition' } = options;
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
