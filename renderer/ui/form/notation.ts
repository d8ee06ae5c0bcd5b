/** How a number field shows a value that people write in another way than the document keeps it. */
export interface Notation {
  /** The kept value as it stands in the field. */
  readonly show: (value: string) => string;
  /** What is typed as the kept value; what cannot be read comes back as it is. */
  readonly read: (text: string) => string;
  /** How much one press of an arrow key changes the kept value. */
  readonly stepOf: (value: string) => number;
  /** The value as a screen reader says it. */
  readonly spoken: (value: string) => string | undefined;
}
