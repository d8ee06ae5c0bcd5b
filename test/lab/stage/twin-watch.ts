import { twinsIn } from './jvms.ts';
import type { Stage } from './stage.ts';

/** Time between two checks of the machines (ms). It is shorter than the start of a JVM. */
const EVERY_MS = 500;

/**
 * Starts checking repeatedly whether a service runs twice.
 *
 * @returns `stop`: ends the checks and returns the services that ran twice
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
  // stop() throws the error, but a test that fails earlier never calls stop().
  watched.catch(() => undefined);
  return {
    stop: async () => {
      watching = false;
      await watched;
      return [...seen];
    },
  };
}
