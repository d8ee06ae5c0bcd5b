import { describe, it } from 'vitest';
import { proxiesUnderTest, type ProxyUnderTest } from './proxy-under-test.ts';

/** Defines one test per available kind of proxy. Unavailable kinds are skipped, with the reason in the test's name. */
export function story(
  what: string,
  run: (under: ProxyUnderTest) => Promise<void>,
  timeoutMs = 120_000,
): void {
  describe.each(proxiesUnderTest.map((under) => [under.name, under] as const))('%s', (_, under) => {
    if (under.skipped === null) it(what, () => run(under), timeoutMs);
    else it.skip(`${what} (${under.skipped})`, () => undefined);
  });
}
