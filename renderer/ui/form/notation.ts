/**
 * Notation of a value whose text in a number field differs from the value in the document: the text `2 min` stands
 * for `120000`.
 */
export interface Notation {
  /** Returns the text that the field shows for a value of the document. */
  readonly show: (value: string) => string;
  /** Returns the document's value for a typed text. Returns a text that cannot be read unchanged. */
  readonly read: (text: string) => string;
  /** Returns the amount by which one press of an arrow key changes the document's value. */
  readonly stepOf: (value: string) => number;
  /** Returns the value in words for screen readers. Undefined if there are none. */
  readonly spoken: (value: string) => string | undefined;
}
