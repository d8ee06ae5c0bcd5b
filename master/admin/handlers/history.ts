import type { Recorder } from '#master/control/history/recorder.ts';
import type { HandlersOf } from '../api.ts';

/** `history.*` of the admin API. */
export function historyHandlers(recorder: Recorder): HandlersOf<'history'> {
  return { 'history.get': ({ range }) => recorder.history(range) };
}
