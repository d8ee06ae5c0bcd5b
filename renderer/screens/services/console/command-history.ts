const MOST_LINES = 100;
/** Maximum number of services with a stored history. */
const MOST_SERVICES = 50;

/** Commands sent to a service, oldest first, without duplicates. */
export interface CommandHistory {
  readonly lines: readonly string[];
  readonly add: (line: string) => void;
}

const kept = new Map<string, string[]>();

/**
 * Returns the last 100 commands sent to a service since the window was opened, without duplicates. The commands stay
 * available after the console was closed. Only the histories of the 50 services used last are kept.
 */
export function commandHistory(service: string): CommandHistory {
  return {
    get lines() {
      return kept.get(service) ?? [];
    },
    add: (line) => {
      const before = kept.get(service) ?? [];
      // The most recently used history is removed last.
      kept.delete(service);
      kept.set(service, [...before.filter((old) => old !== line), line].slice(-MOST_LINES));
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_SERVICES) break;
        kept.delete(oldest);
      }
    },
  };
}
