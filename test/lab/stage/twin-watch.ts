import { twinsIn } from './jvms.ts';
import type { Stage } from './stage.ts';

/** Interval of checking the machines (ms); a JVM takes longer than that to start. */
const EVERY_MS = 500;

/**
 * Checks repeatedly, from now on, whether a service runs twice.
 *
 * @returns stop: ends the checks and returns the services that ran twice
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
  // The error is thrown by stop(), which a test that fails earlier never calls.
  watched.catch(() => undefined);
  return {
    stop: async () => {
      watching = false;
      await watched;
      return [...seen];
    },
  };
}
