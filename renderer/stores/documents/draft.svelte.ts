import type { FieldDescription } from '#shared/config/field.ts';
import type { z } from 'zod';
import {
  changesBetween,
  countByEffect,
  isSame,
  mergeVersions,
  threeWay,
  type MergeChoices,
  type FieldChange,
  type ThreeWayRow,
} from '../../view/form/form-changes.ts';
import { withUnknownKeys } from '../../view/form/unknown-keys.ts';
import { readJsonText, toJsonText, unreadableSentence, type JsonReading } from '../../view/form/form-json.ts';
import {
  pathOf,
  readForm,
  toInputs,
  type FieldInput,
  type FormInputs,
  type FormReading,
} from '../../view/form/form-model.ts';
import { problemUnderField, summaryOf } from '../../view/form/form-words.ts';

/** A version of a document: its content, and the revision on which an update must be based. */
export interface DocumentVersion {
  readonly config: unknown;
  readonly revision: string;
}

/** What a person has entered in a draft. */
export interface DraftInput {
  readonly inputs: FormInputs;
  /** The JSON as the person typed it. Null while the person edits the form. */
  readonly typed: string | null;
}

/**
 * A document that a person edits as a form and as JSON at the same time. Consists of the inputs, and of the version
 * from which the edit started. A draft exists independently of screens, so leaving a screen loses nothing.
 */
export class Draft {
  readonly fields: readonly FieldDescription[];
  readonly #schema: z.ZodType;
  base = $state.raw<DocumentVersion>({ config: {}, revision: '' });
  inputs = $state.raw<FormInputs>({});
  /**
   * The JSON as the person typed it. Null while the person edits the form; the JSON is then generated from the
   * inputs.
   */
  #typed = $state.raw<string | null>(null);
  /** Paths of fields that the person has left at least once. Other fields show no errors while the person types. */
  #touched = $state.raw<readonly string[]>([]);
  /** Whether all fields show their errors because a person tried to save. */
  #showAll = $state(false);
  /** Whether a faulty file is being corrected. It must be saved even if its values equal the values in use. */
  opened = $state(false);

  readonly reading: FormReading = $derived.by(() => readForm(this.#schema, this.fields, this.inputs));
  /**
   * The document to save: the values of the inputs, and the keys that only a newer master knows. Such keys appear
   * neither in the form nor in the JSON, and keep their values.
   */
  readonly toSave: Readonly<Record<string, unknown>> = $derived.by(() =>
    withUnknownKeys(this.fields, this.base.config, this.reading.document),
  );
  /**
   * The document as JSON: the text that the person typed, or else the document as it would be saved. Secrets are
   * masked.
   */
  readonly text: string = $derived.by(() => this.#typed ?? toJsonText(this.fields, this.reading.document));
  readonly json: JsonReading = $derived.by(() => this.#readText(this.text));
  /** Why the form cannot show the JSON. Undefined if the form can show it. */
  readonly unreadable: string | undefined = $derived.by(() =>
    this.#typed === null || this.json.inputs !== null ? undefined : unreadableSentence(this.json.problems),
  );
  readonly changes: readonly FieldChange[] = $derived.by(() =>
    changesBetween(this.fields, this.base.config, this.reading.document),
  );
  readonly dirty: boolean = $derived(this.changes.length > 0 || this.unreadable !== undefined || this.opened);
  readonly valid: boolean = $derived(this.unreadable === undefined && this.reading.problems.size === 0);
  readonly summary: string = $derived.by(() => {
    if (this.unreadable !== undefined) return 'JSON with a mistake';
    if (this.opened && this.changes.length === 0) return 'Corrected file, with the values in use';
    return summaryOf(this.changes, countByEffect(this.changes));
  });
  readonly #changedPaths: readonly string[] = $derived(this.changes.map(({ path }) => path));

  constructor(schema: z.ZodType, fields: readonly FieldDescription[], version: DocumentVersion) {
    this.#schema = schema;
    this.fields = fields;
    this.begin(version);
  }

  /** What the person has entered so far. */
  get input(): DraftInput {
    return { inputs: this.inputs, typed: this.#typed };
  }

  /** Starts a new edit from a version. Drops all input. */
  readonly begin = (version: DocumentVersion): void => {
    this.base = version;
    this.inputs = toInputs(this.fields, version.config);
    this.#typed = null;
    this.#touched = [];
    this.#showAll = false;
    this.opened = false;
  };

  /**
   * Starts a new edit from the version that was saved. Keeps only what the person has entered since `sent`.
   *
   * @param sent what the person had entered when the version was sent to the master
   */
  readonly continueFrom = (saved: DocumentVersion, sent: DraftInput): void => {
    const { inputs, typed } = this.input;
    this.begin(saved);
    // Unchanged inputs come from the saved version: the master may have changed values, and it masks secrets.
    const later = Object.entries(inputs).filter(([path, input]) => !isSame(input, sent.inputs[path]));
    this.inputs = { ...this.inputs, ...Object.fromEntries(later) };
    if (typed !== null && typed !== sent.typed) this.setText(typed);
  };

  /**
   * Opens the faulty text on disk for correction. Changes are shown relative to the values in use.
   *
   * @param revision revision of the text, on which saving is based
   */
  readonly openText = (text: string, revision: string): void => {
    this.begin({ config: this.base.config, revision });
    this.setText(text);
    this.opened = true;
  };

  readonly discard = (): void => this.begin(this.base);

  /** Changes a field in the form. */
  readonly set = (path: string, input: FieldInput): void => {
    this.inputs = { ...this.inputs, [path]: input };
    this.#typed = null;
  };

  /** Changes the JSON. The form follows as soon as it can show the JSON. */
  readonly setText = (text: string): void => {
    const { inputs } = this.#readText(text);
    this.#typed = text;
    if (inputs !== null) this.inputs = inputs;
  };

  /** Drops the typed JSON. The JSON is then generated from the inputs of the form. */
  readonly dropText = (): void => {
    this.#typed = null;
    this.opened = false;
  };

  /** Marks a field as left, so that it shows its error. */
  readonly touch = (path: string): void => {
    if (!this.#touched.includes(path)) this.#touched = [...this.#touched, path];
  };

  /** Shows all errors because a person wants to save. @returns whether the document can be saved */
  readonly showAll = (): boolean => {
    this.#showAll = true;
    return this.valid;
  };

  readonly isChanged = (path: string): boolean => this.#changedPaths.includes(path);

  /** Returns the error to show at a field. Undefined if the field is valid, or if the person has not left it yet. */
  readonly problemOf = (path: string): string | undefined => {
    if (!this.#showAll && !this.#touched.includes(path)) return undefined;
    const [first] = this.reading.problems.get(path) ?? [];
    const field = this.fields.find((one) => pathOf(one) === path);
    return first === undefined ? undefined : problemUnderField(first, field);
  };

  /**
   * Returns the fields that differ between this draft, a newer version, and the version that the edit started from.
   */
  readonly compareWith = (theirs: DocumentVersion): readonly ThreeWayRow[] =>
    threeWay(this.fields, this.#versions(theirs));

  /** Makes a newer version the base of this draft, and sets each field to its chosen value. */
  readonly rebase = (theirs: DocumentVersion, choices: MergeChoices): void => {
    const merged = mergeVersions(this.fields, this.#versions(theirs), choices);
    this.base = theirs;
    this.inputs = toInputs(this.fields, merged);
    this.#typed = null;
    this.opened = false;
  };

  #versions(theirs: DocumentVersion): { base: unknown; theirs: unknown; mine: unknown } {
    return { base: this.base.config, theirs: theirs.config, mine: this.reading.document };
  }

  #readText(text: string): JsonReading {
    return readJsonText({ schema: this.#schema, fields: this.fields }, text, this.inputs);
  }
}
