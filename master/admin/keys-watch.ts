import { basename, dirname } from 'node:path';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { watchFolder } from '#shared/node/watch-folder.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { BY_HAND } from '#master/state/feed/emit-event.ts';
import { keyChangeWords } from './key-change.ts';
import type { KeyStore } from './keys.ts';

/** Pause after a change of the folder before the file is read (ms). Editors write a file in several steps. */
const SETTLE_MS = 100;

interface KeysWatchOptions extends Feed {
  /** Absolute path of `keys.json`. */
  readonly path: string;
  readonly keys: Pick<KeyStore, 'reread' | 'onEdited'>;
  readonly onError: (error: unknown) => void;
}

/**
 * Applies edits of `keys.json` by hand, and reports them as events, which also go to the security log. Sessions of
 * removed keys end. A faulty or unreadable file changes nothing and is reported once; the same problem is not
 * reported again until it is corrected. Other errors go to `onError`.
 *
 * @returns a function that stops the watch
 */
export function watchKeys({ path, keys, events, topics, onError }: KeysWatchOptions): () => void {
  let due: NodeJS.Timeout | null = null;
  let reported = '';

  function emitKeyEvent(kind: 'key.added' | 'key.removed', key: AuthorizedKey): void {
    events.add({
      kind,
      subject: { type: 'key', id: key.name },
      template: null,
      actor: BY_HAND,
      message: keyChangeWords(kind, key),
      cause: `${basename(path)} was edited, ${key.fingerprint}`,
    });
  }

  function emitUnusedEdit(problem: string, why: string): void {
    if (why === reported) return;
    reported = why;
    events.add({
      kind: 'config.faulty',
      subject: { type: 'config', id: 'keys' },
      template: null,
      actor: BY_HAND,
      message: `The list of keys was edited and ${problem}, so the last good list stays in use`,
      cause: why,
    });
  }

  async function reread(): Promise<void> {
    try {
      await keys.reread();
      reported = '';
    } catch (error) {
      if (hasCode(error, 'DATA_FAULTY')) emitUnusedEdit('has mistakes', error.message);
      else if (hasCode(error, 'DATA_FOLDER_UNSAFE')) emitUnusedEdit('cannot be read', error.message);
      else onError(error);
    }
  }

  const stopListening = keys.onEdited(({ removed, added }) => {
    for (const key of removed) emitKeyEvent('key.removed', key);
    for (const key of added) emitKeyEvent('key.added', key);
    topics.publish('keys');
  });
  // Watches the folder and not the file, because editors and the master replace the file.
  const onChange = (name: string | null): void => {
    if (name !== null && name !== basename(path)) return;
    due ??= setTimeout(() => {
      due = null;
      void reread();
    }, SETTLE_MS);
  };
  const watcher = watchFolder(dirname(path), onChange, onError);
  return () => {
    watcher.close();
    stopListening();
    if (due !== null) clearTimeout(due);
  };
}
