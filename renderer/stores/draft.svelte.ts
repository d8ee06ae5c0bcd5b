import type { FieldDescription } from '#shared/config/field.ts';
import type { z } from 'zod';
import {
  changesBetween,
  countByEffect,
  readForm,
  reapply,
  theirChanges,
  toInputs,
  type FieldChange,
  type FieldInput,
  type FormInputs,
  type FormReading,
  type TheirChange,
} from '../view/form-model.ts';
import { problemUnderField, summaryOf } from '../view/form-words.ts';

/** A document as it was read: its content, and the revision that an update must be based on. */
export interface Version {
  readonly config: unknown;
  readonly revision: string;
}

/** A document being edited: inputs over the version they began with. Lives outside of screens, so that leaving one loses nothing. */
export class Draft {
  readonly fields: readonly FieldDescription[];
  readonly #schema: z.ZodType;
  base = $state.raw<Version>({ config: {}, revision: '' });
  inputs = $state.raw<FormInputs>({});
  /** Fields that were left once: only they show what is wrong, so that nobody is scolded while typing. */
  #touched = $state.raw<readonly string[]>([]);
  /** All fields show what is wrong: somebody wanted to save. */
  #showAll = $state(false);

  readonly reading: FormReading = $derived.by(() => readForm(this.#schema, this.fields, this.inputs));
  readonly changes: readonly FieldChange[] = $derived.by(() =>
    changesBetween(this.fields, this.base.config, this.reading.document),
  );
  readonly dirty: boolean = $derived(this.changes.length > 0);
  readonly valid: boolean = $derived(this.reading.problems.size === 0);
  readonly summary: string = $derived.by(() => summaryOf(this.changes, countByEffect(this.changes)));
  readonly #changedPaths: readonly string[] = $derived(this.changes.map(({ path }) => path));

  constructor(schema: z.ZodType, fields: readonly FieldDescription[], version: Version) {
    this.#schema = schema;
    this.fields = fields;
    this.begin(version);
  }

  /** Begins anew with a version; what was typed is gone. */
  readonly begin = (version: Version): void => {
    this.base = version;
    this.inputs = toInputs(this.fields, version.config);
    this.#touched = [];
    this.#showAll = false;
  };

  readonly discard = (): void => this.begin(this.base);

  readonly set = (path: string, input: FieldInput): void => {
    this.inputs = { ...this.inputs, [path]: input };
  };

  /** The field was left: from now on it shows what is wrong with it. */
  readonly touch = (path: string): void => {
    if (!this.#touched.includes(path)) this.#touched = [...this.#touched, path];
  };

  /** Somebody wants to save: shows everything wrong. @returns whether it can be saved */
  readonly showAll = (): boolean => {
    this.#showAll = true;
    return this.valid;
  };

  readonly isChanged = (path: string): boolean => this.#changedPaths.includes(path);

  /** What to show under a field now; undefined while it is right or not yet left. */
  readonly problemOf = (path: string): string | undefined => {
    if (!this.#showAll && !this.#touched.includes(path)) return undefined;
    const [first] = this.reading.problems.get(path) ?? [];
    return first === undefined ? undefined : problemUnderField(first);
  };

  /** What a newer version changed, beside what stands here. */
  readonly compareWith = (theirs: Version): readonly TheirChange[] =>
    theirChanges(this.fields, {
      base: this.base.config,
      theirs: theirs.config,
      mine: this.reading.document,
    });

  /** Takes a newer version as the base and puts the changes made here on top of it. */
  readonly rebase = (theirs: Version): void => {
    const merged = reapply(this.fields, {
      base: this.base.config,
      theirs: theirs.config,
      mine: this.reading.document,
    });
    this.base = theirs;
    this.inputs = toInputs(this.fields, merged);
  };
}
