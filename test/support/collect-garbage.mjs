import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage of this process, so that the memory that is still in use can be measured. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc');
  const gc = /** @type {() => void} */ (runInNewContext('gc'));
  // The first collection finalizes objects. The second collection frees them.
  gc();
  gc();
}
