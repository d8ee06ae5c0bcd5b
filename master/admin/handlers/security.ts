import type { SecurityReport } from '#shared/model/access/security-entry.ts';
import type { EntryPage, EntryQuery } from '#master/store/security-log/read-entries.ts';
import type { HandlersOf } from '../api.ts';

/** The part of the security log that the handlers read. */
export interface ReadableSecurityLog {
  read(query: EntryQuery): Promise<EntryPage>;
  verify(): Promise<SecurityReport>;
}

/** Creates the handlers of `security.*`. */
export function securityHandlers(log: ReadableSecurityLog): HandlersOf<'security'> {
  return {
    'security.list': async (query) => {
      const { entries, next } = await log.read(query);
      return { entries: [...entries], next };
    },
    'security.verify': () => log.verify(),
  };
}
