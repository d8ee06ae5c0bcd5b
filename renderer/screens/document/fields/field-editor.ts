import type { FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import type { Component, Snippet } from 'svelte';
import type { FieldInput } from '../../../view/form/form-model.ts';

/** Properties of a field's editor. */
export interface FieldEditorProps {
  readonly field: FieldDescription;
  readonly input: FieldInput;
  /** The error to show now, in one sentence. */
  readonly error?: string | undefined;
  /** All errors to show now, for editors with several inputs. */
  readonly problems: readonly FieldProblem[];
  /** Shown beside the label: when a change takes effect, whether the value was changed, and the reset button. */
  readonly aside: Snippet;
  readonly disabled: boolean;
  readonly onchange: (input: FieldInput) => void;
  /** Called when the focus leaves the field. */
  readonly onleave: () => void;
}

/** Special editors by field path, for fields that need more than the usual editor of their type. */
export type FieldEditors = Readonly<Record<string, Component<FieldEditorProps>>>;
