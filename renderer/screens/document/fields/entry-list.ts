import type { EntryInput, FieldInput } from '../../../view/form/form-model.ts';
import type { FieldEditorProps } from './field-editor.ts';

/** Returns the entries that an editor of an object list gets as its input. */
export function entriesOf(input: FieldInput): readonly EntryInput[] {
  // The editor of an object list always gets the inputs of entries as its input, never a list of texts.
  return Array.isArray(input) ? (input as readonly EntryInput[]) : [];
}

/** Returns the typed text of one part of an entry. */
export function textOf(entry: EntryInput | undefined, part: string): string {
  const text = entry?.[part];
  return typeof text === 'string' ? text : '';
}

/** Returns whether to show an error at one part of an entry now. */
export function hasProblem(
  { field, problems }: Pick<FieldEditorProps, 'field' | 'problems'>,
  index: number,
  part: string,
): boolean {
  const path = `${field.path.join('.')}[${index}].${part}`;
  return problems.some((problem) => problem.field === path);
}
