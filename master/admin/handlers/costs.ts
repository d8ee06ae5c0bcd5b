import type { Recorder } from '#master/control/history/recorder.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `costs.*`. */
export function costsHandlers(recorder: Recorder): HandlersOf<'costs'> {
  return { 'costs.get': () => recorder.costs() };
}
