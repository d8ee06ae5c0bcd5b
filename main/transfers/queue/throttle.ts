/**
 * Makes a function that runs `action` at most once in `everyMs()`, asked each time: at once the first time, and once more at the end of
 * a burst, so that the last change is never lost.
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
    // A push that is due must not keep a process alive that has nothing else to do.
    timer.unref();
    action();
  };
  return () => {
    if (timer === null) run();
    else again = true;
  };
}
