import type { Recorder } from '#master/control/history/recorder.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `history.*`. */
export function historyHandlers(recorder: Recorder): HandlersOf<'history'> {
  return { 'history.get': ({ range }) => recorder.history(range) };
}
