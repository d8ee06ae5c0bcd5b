import { twinsIn } from './jvms.ts';
import type { Stage } from './stage.ts';

/** How often the machines are looked at, ms: a JVM takes longer than that to start. */
const EVERY_MS = 500;

/**
 * Looks again and again for services that run twice, from now on.
 *
 * @returns stop: ends it, and tells which were ever seen
 */
export function watchTwins(fixture: Stage): { readonly stop: () => Promise<string[]> } {
  const seen = new Set<string>();
  let watching = true;
  const watch = async (): Promise<void> => {
    while (watching) {
      for (const twin of twinsIn(await fixture.jvms())) seen.add(twin);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  const watched = watch();
  // Told when it is stopped; a test that fails before never does that.
  watched.catch(() => undefined);
  return {
    stop: async () => {
      watching = false;
      await watched;
      return [...seen];
    },
  };
}
