import type { ServiceId } from '#shared/model/service.ts';
import { ServiceConsole } from './service-console.svelte.ts';

interface OpenConsole {
  readonly log: ServiceConsole;
  readonly stop: () => void;
  users: number;
}

/**
 * Open consoles by service. All views of a service share one console, because the master follows each log once per
 * connection.
 */
const open = new Map<ServiceId, OpenConsole>();

/** Returns a service's console for one view. Call `release` when the view closes. */
export function takeConsole(id: ServiceId): { readonly log: ServiceConsole; readonly release: () => void } {
  let known = open.get(id);
  if (known === undefined) {
    const log = new ServiceConsole(id);
    known = { log, stop: log.connect(), users: 0 };
    open.set(id, known);
  }
  const taken = known;
  taken.users += 1;
  let released = false;
  return {
    log: taken.log,
    release: () => {
      if (released) return;
      released = true;
      taken.users -= 1;
      if (taken.users > 0) return;
      taken.stop();
      if (open.get(id) === taken) open.delete(id);
    },
  };
}
