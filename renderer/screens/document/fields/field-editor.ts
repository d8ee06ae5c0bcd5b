import type { FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import type { Component, Snippet } from 'svelte';
import type { FieldInput } from '../../../view/form/form-model.ts';

/** What an editor of one field is given. */
export interface FieldEditorProps {
  readonly field: FieldDescription;
  readonly input: FieldInput;
  /** What is wrong with it, in one sentence, if that is to be shown now. */
  readonly error?: string | undefined;
  /** All that is wrong with it, for editors of several inputs; empty while nothing is to be shown. */
  readonly problems: readonly FieldProblem[];
  /** Beside the label: effect, changed, reset. */
  readonly aside: Snippet;
  readonly disabled: boolean;
  readonly onchange: (input: FieldInput) => void;
  /** The field was left. */
  readonly onleave: () => void;
}

/** Editors for fields that need more than their type tells, by the field's path. */
export type FieldEditors = Readonly<Record<string, Component<FieldEditorProps>>>;
