/** Broken document: a description of its fault, its text, and all error messages that it causes. */
export type BrokenDocument = readonly [what: string, text: string, ...sentences: readonly string[]];
