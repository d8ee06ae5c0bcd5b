import type { HandlersOf } from '../api.ts';
import type { KeyChange } from '../key-change.ts';
import type { KeyStore } from '../keys.ts';

/** Creates the handlers of `keys.*`. */
export function keysHandlers(keys: KeyStore, onChange: (change: KeyChange) => void): HandlersOf<'keys'> {
  return {
    'keys.list': () => keys.list(),
    'keys.add': async (params, caller) => {
      const key = await keys.add(params);
      onChange({ kind: 'key.added', key, actor: caller.name });
      return key;
    },
    'keys.limit': async ({ key: nameOrFingerprint, templates }, caller) => {
      const { key, changed } = await keys.limit(nameOrFingerprint, templates);
      if (changed) onChange({ kind: 'key.limited', key, actor: caller.name });
      return key;
    },
    'keys.remove': async ({ key: nameOrFingerprint }, caller) => {
      const key = await keys.remove(nameOrFingerprint);
      onChange({ kind: 'key.removed', key, actor: caller.name });
      return key;
    },
  };
}
