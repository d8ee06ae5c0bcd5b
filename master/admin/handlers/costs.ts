import type { Recorder } from '#master/control/history/recorder.ts';
import type { HandlersOf } from '../api.ts';

/** `costs.*` of the admin API. */
export function costsHandlers(recorder: Recorder): HandlersOf<'costs'> {
  return { 'costs.get': () => recorder.costs() };
}
