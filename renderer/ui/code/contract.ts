/** Languages that an editor can highlight and indent. `text` is neither highlighted nor indented. */
export const codeLanguages = ['json', 'yaml', 'properties', 'toml', 'shell', 'xml', 'text'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** A problem in the text, shown at its line. */
export interface CodeDiagnostic {
  /** Number of the line, from 1. A number beyond the end means the last line. */
  readonly line: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}

/** A completion at the cursor. */
export interface CodeOption {
  readonly label: string;
  /** Text to insert. The cursor moves behind it. */
  readonly insert: string;
  /** Shown beside the label: a type or a default. */
  readonly detail?: string;
  /** Shown below the label when it is selected. */
  readonly info?: string;
  readonly kind: 'key' | 'value';
}

/** A range of the text, by offsets. */
export interface CodeSpan {
  readonly from: number;
  readonly to: number;
}

/** Assistant that knows the document: completes and explains its text. */
export interface CodeAssist {
  /** Returns completions, and the span that the chosen one replaces. Null if there are no completions. */
  readonly complete: (
    text: string,
    offset: number,
  ) => (CodeSpan & { readonly options: readonly CodeOption[] }) | null;
  /** Returns the explanation of a position in the text. Null if there is none. */
  readonly explain: (
    text: string,
    offset: number,
  ) => (CodeSpan & { readonly title: string; readonly lines: readonly string[] }) | null;
}

/** Position of the cursor. Line and column count from 1. */
export interface CodePosition {
  readonly line: number;
  readonly column: number;
}
