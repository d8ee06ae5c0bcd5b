/** A broken document: what is wrong with it, its text, and all error messages that it causes. */
export type BrokenDocument = readonly [what: string, text: string, ...sentences: readonly string[]];
