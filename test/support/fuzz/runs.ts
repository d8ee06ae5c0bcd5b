import { nightly } from '#test/lab/kit/nightly.ts';

/** Returns how many random cases a fuzzer tries: few for each change, many at night (`OVERWORLD_NIGHTLY=1`). */
export function runs(each: { readonly change: number; readonly night: number }): number {
  return nightly ? each.night : each.change;
}
