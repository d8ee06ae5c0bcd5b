/** Languages that an editor can highlight and indent. `text`: neither. */
export const codeLanguages = ['json', 'yaml', 'properties', 'toml', 'shell', 'xml', 'text'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** A problem in the text, shown at its line. */
export interface CodeDiagnostic {
  /** From 1. A line beyond the end counts as the last one. */
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
  /** `options` replace the span. Null: no completions. */
  readonly complete: (
    text: string,
    offset: number,
  ) => (CodeSpan & { readonly options: readonly CodeOption[] }) | null;
  /** Null: no explanation. */
  readonly explain: (
    text: string,
    offset: number,
  ) => (CodeSpan & { readonly title: string; readonly lines: readonly string[] }) | null;
}

/** Position of the cursor, both from 1. */
export interface CodePosition {
  readonly line: number;
  readonly column: number;
}
