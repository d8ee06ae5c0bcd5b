const MOST_LINES = 100;
/** Services that commands are remembered of. */
const MOST_SERVICES = 50;

/** Commands sent to one service, oldest first, none twice. */
export interface CommandHistory {
  readonly lines: readonly string[];
  readonly add: (line: string) => void;
}

const kept = new Map<string, string[]>();

/** What was sent to a service since the window was opened, also when its console was closed in between. */
export function commandHistory(service: string): CommandHistory {
  return {
    get lines() {
      return kept.get(service) ?? [];
    },
    add: (line) => {
      const before = kept.get(service) ?? [];
      // The one used last is forgotten last.
      kept.delete(service);
      kept.set(service, [...before.filter((old) => old !== line), line].slice(-MOST_LINES));
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_SERVICES) break;
        kept.delete(oldest);
      }
    },
  };
}
