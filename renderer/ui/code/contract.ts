/** What an editor can colour and indent. `text`: neither. */
export const codeLanguages = ['json', 'yaml', 'properties', 'toml', 'shell', 'xml', 'text'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** Something wrong with the text, shown at its line. */
export interface CodeDiagnostic {
  /** From 1; one beyond the end counts as the last. */
  readonly line: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}

/** One thing that may be written at the cursor. */
export interface CodeOption {
  readonly label: string;
  /** What is written; the cursor stands behind it. */
  readonly insert: string;
  /** Beside the label: a type, a default. */
  readonly detail?: string;
  /** Below, when it is chosen. */
  readonly info?: string;
  readonly kind: 'key' | 'value';
}

/** A part of the text, by offsets. */
export interface CodeSpan {
  readonly from: number;
  readonly to: number;
}

/** What knows the text's meaning: names what may be written, and explains what is there. */
export interface CodeAssist {
  /** `options` replace the span. Null: nothing to offer there. */
  readonly complete: (
    text: string,
    offset: number,
  ) => (CodeSpan & { readonly options: readonly CodeOption[] }) | null;
  /** Null: nothing to say about it. */
  readonly explain: (
    text: string,
    offset: number,
  ) => (CodeSpan & { readonly title: string; readonly lines: readonly string[] }) | null;
}

/** Where the cursor is, both from 1. */
export interface CodePosition {
  readonly line: number;
  readonly column: number;
}
