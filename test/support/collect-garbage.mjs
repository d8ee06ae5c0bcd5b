import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees all memory of this process that nothing refers to any more, so that what remains can be measured. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc');
  const gc = /** @type {() => void} */ (runInNewContext('gc'));
  // What the first collection finalizes, the second one frees.
  gc();
  gc();
}
