import type { FieldDescription } from '#shared/config/field.ts';
import { getLocation, parseTree, findNodeAtLocation, type JSONPath, type Location } from 'jsonc-parser';
import type { CodeAssist, CodeOption } from '../../ui/code/contract.ts';
import { effectSentence } from './form-words.ts';

/** Returns functions that complete keys and values of a JSON document and explain its fields. */
export function jsonAssist(fields: readonly FieldDescription[]): CodeAssist {
  return {
    complete: (text, offset) => {
      const location = getLocation(text, offset);
      const span = spanOf(location, offset, text);
      const options = location.isAtPropertyKey
        ? keyOptions(fields, location, text)
        : valueOptions(fieldAt(fields, location.path));
      return options.length === 0 ? null : { ...span, options };
    },
    explain: (text, offset) => {
      const { path, previousNode } = getLocation(text, offset);
      const field = fieldAt(fields, path);
      if (field === undefined || previousNode === undefined) return null;
      const { offset: from, length } = previousNode;
      if (offset < from || offset > from + length) return null;
      return { from, to: from + length, title: field.label, lines: explanationOf(field) };
    },
  };
}

function explanationOf(field: FieldDescription): readonly string[] {
  const unit = field.unit === undefined ? '' : ` ${field.unit}`;
  const standard = field.default === undefined ? [] : [`Default: ${JSON.stringify(field.default)}${unit}`];
  return [field.help, `Allowed: ${field.allowed}`, ...standard, effectSentence[field.effect]];
}

/** Returns the range that a completion replaces: the word or the JSON string around the cursor. */
function spanOf({ previousNode }: Location, offset: number, text: string): { from: number; to: number } {
  if (previousNode !== undefined && offset <= previousNode.offset + previousNode.length) {
    return { from: previousNode.offset, to: previousNode.offset + previousNode.length };
  }
  const before = /[\w"-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0;
  return { from: offset - before, to: offset };
}

/** Returns the field at a path of keys and indexes. Undefined for sections and unknown keys. */
function fieldAt(fields: readonly FieldDescription[], path: JSONPath): FieldDescription | undefined {
  const index = path.findIndex((part) => typeof part === 'number');
  const here = index < 0 ? path : path.slice(0, index);
  const found = fields.find(
    (field) => field.path.length === here.length && field.path.every((part, i) => here[i] === part),
  );
  if (index < 0 || found?.entry === undefined || path.length === index + 1) return found;
  return fieldAt(found.entry, path.slice(index + 1));
}

/**
 * Returns the keys of the object at a path, each key once. If `section` is true, the key contains a section, and
 * `field` is a field in this section.
 */
function fieldsBelow(
  fields: readonly FieldDescription[],
  path: JSONPath,
): readonly { readonly key: string; readonly field: FieldDescription; readonly section: boolean }[] {
  const index = path.findIndex((part) => typeof part === 'number');
  if (index >= 0) {
    const list = fieldAt(fields, path.slice(0, index));
    return fieldsBelow(list?.entry ?? [], path.slice(index + 1));
  }
  return fields
    .filter((field) => path.every((part, i) => field.path[i] === part) && field.path.length > path.length)
    .map((field) => ({
      key: field.path[path.length] ?? '',
      field,
      section: field.path.length > path.length + 1,
    }))
    .filter(({ key }, i, all) => all.findIndex((other) => other.key === key) === i);
}

function keyOptions(
  fields: readonly FieldDescription[],
  { path }: Location,
  text: string,
): readonly CodeOption[] {
  const around = path.slice(0, -1);
  const taken = keysAt(text, around);
  const isNew = !new RegExp(`"${String(path.at(-1) ?? '')}"\\s*:`).test(text);
  return fieldsBelow(fields, around)
    .filter(({ key }) => !taken.includes(key))
    .map(({ key, field, section }) => {
      const value = section ? '{}' : JSON.stringify(field.default ?? '');
      return {
        label: key,
        insert: isNew ? `"${key}": ${value}` : `"${key}"`,
        detail: section ? 'section' : field.type,
        ...(section ? {} : { info: field.help }),
        kind: 'key',
      } as const;
    });
}

function keysAt(text: string, path: JSONPath): readonly string[] {
  const tree = parseTree(text);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  return (node?.children ?? []).flatMap((property) => {
    const key: unknown = property.children?.[0]?.value;
    return typeof key === 'string' ? [key] : [];
  });
}

function valueOptions(field: FieldDescription | undefined): readonly CodeOption[] {
  if (field === undefined) return [];
  const values: readonly unknown[] =
    field.type === 'boolean'
      ? [true, false]
      : (field.options ?? Object.keys(field.special ?? {}).map(Number));
  const all = field.default === undefined ? values : [...values, field.default];
  return [...new Set(all.map((value) => JSON.stringify(value)))].map((json) => ({
    label: json,
    insert: json,
    kind: 'value',
    ...(json === JSON.stringify(field.default) ? { detail: 'default' } : {}),
    ...(field.special?.[json] === undefined ? {} : { detail: field.special[json] }),
  }));
}
