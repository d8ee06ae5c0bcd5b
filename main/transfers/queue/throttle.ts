/**
 * Returns a function that runs `action` at most once per `everyMs()`, which is evaluated each time. The first call
 * runs immediately, and the last call of a burst is never lost.
 */
export function throttle(action: () => void, everyMs: () => number): () => void {
  let timer: NodeJS.Timeout | null = null;
  let again = false;
  const run = () => {
    again = false;
    timer = setTimeout(() => {
      timer = null;
      if (again) run();
    }, everyMs());
    // A pending push must not keep an otherwise finished process alive.
    timer.unref();
    action();
  };
  return () => {
    if (timer === null) run();
    else again = true;
  };
}
