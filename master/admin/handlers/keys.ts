import type { AuthorizedKey } from '#shared/model/role.ts';
import type { HandlersOf } from '../api.ts';
import type { KeyStore } from '../keys.ts';

/** A change of the authorized keys, for the activity log and the `keys` topic. */
export interface KeyChange {
  readonly kind: 'key.added' | 'key.removed';
  readonly key: AuthorizedKey;
  /** Name of the key that made the change. */
  readonly actor: string;
}

/** Creates the handlers of `keys.*`. */
export function keysHandlers(keys: KeyStore, onChange: (change: KeyChange) => void): HandlersOf<'keys'> {
  return {
    'keys.list': () => keys.list(),
    'keys.add': async (params, caller) => {
      const key = await keys.add(params);
      onChange({ kind: 'key.added', key, actor: caller.name });
      return key;
    },
    'keys.remove': async ({ key: nameOrFingerprint }, caller) => {
      const key = await keys.remove(nameOrFingerprint);
      onChange({ kind: 'key.removed', key, actor: caller.name });
      return key;
    },
  };
}
