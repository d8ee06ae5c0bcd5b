import { describeFields, type FieldDescription } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { isKnownAt } from '#shared/config/newer-fields.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { SvelteMap } from 'svelte/reactivity';
import { link } from '../connection/link.svelte.ts';
import { templates } from '../templates.svelte.ts';
import { Draft, type DocumentVersion } from './draft.svelte.ts';
import { registerUnsaved } from './unsaved.svelte.ts';

const templateFields = describeFields(templateConfigSchema);
const masterFields = describeFields(masterConfigSchema);

/** Returns the fields that the connected master knows. An older master may not know all fields. */
function knownFields(fields: readonly FieldDescription[]): readonly FieldDescription[] {
  const apiVersion = link.value?.master?.apiVersion ?? API_VERSION;
  return fields.filter((field) => isKnownAt(field, apiVersion));
}

/**
 * Drafts of templates, at most one per template. They exist while the window is open, so leaving an editor loses
 * nothing.
 */
class TemplateDrafts {
  readonly #drafts = new SvelteMap<TemplateId, Kept>();

  /**
   * Returns the draft of a template. Creates it if there is none. Must not be called in derived values, because these
   * must not change state.
   */
  readonly open = (template: Template): Draft => {
    const { id } = template;
    const fields = knownFields(templateFields);
    const found = this.#drafts.get(id);
    if (found !== undefined && isUsable(found, fields)) return found.draft;
    this.forget(id);
    const kept = keep(() => new Draft(templateConfigSchema, fields, versionOf(template)));
    this.#drafts.set(id, kept);
    return kept.draft;
  };

  /** Whether a template has unsaved changes. */
  readonly isDirty = (id: TemplateId): boolean => this.#drafts.get(id)?.draft.dirty === true;

  /** Ids of the templates with unsaved changes, except deleted templates, whose changes can no longer be saved. */
  readonly dirtyIds = (): readonly TemplateId[] =>
    [...this.#drafts.keys()].filter((id) => this.isDirty(id) && !templates.isGone(id));

  /** Drops the draft of a deleted template. */
  readonly forget = (id: TemplateId): void => {
    this.#drafts.get(id)?.end();
    this.#drafts.delete(id);
  };
}

interface Kept {
  readonly draft: Draft;
  readonly end: () => void;
}

/**
 * Creates a draft under an effect root of its own. Otherwise, the draft's derived values would stop when the editor
 * is closed.
 */
function keep(begin: () => Draft): Kept {
  let draft: Draft | undefined;
  const end = $effect.root(() => {
    draft = begin();
  });
  // The effect root runs its function synchronously.
  if (draft === undefined) throw new Error('the draft was not started');
  return { draft, end };
}

/**
 * Returns whether an existing draft can be opened again. After an update of the master, the master knows more fields.
 * A draft with fewer fields is then opened again only if it has unsaved changes.
 *
 * @param fields the fields that the connected master knows
 */
function isUsable({ draft }: Kept, fields: readonly FieldDescription[]): boolean {
  return draft.dirty || draft.fields.length === fields.length;
}

/** Draft of the master configuration. */
class MasterDraft {
  #kept = $state.raw<Kept | null>(null);

  /**
   * Returns the draft. Creates it if there is none. Must not be called in derived values, because these must not
   * change state.
   */
  readonly open = (version: DocumentVersion): Draft => {
    const fields = knownFields(masterFields);
    if (this.#kept !== null && isUsable(this.#kept, fields)) return this.#kept.draft;
    this.forget();
    const kept = keep(() => new Draft(masterConfigSchema, fields, version));
    this.#kept = kept;
    return kept.draft;
  };

  /** The draft. Null if none was opened. */
  get current(): Draft | null {
    return this.#kept?.draft ?? null;
  }

  get dirty(): boolean {
    return this.#kept?.draft.dirty === true;
  }

  /** Drops the draft and all input. */
  readonly forget = (): void => {
    this.#kept?.end();
    this.#kept = null;
  };
}

/** Converts a document of the admin API to the version that a draft starts from. */
export function versionOf(document: {
  readonly config: unknown;
  readonly configRevision: string;
}): DocumentVersion {
  return { config: document.config, revision: document.configRevision };
}

export const templateDrafts = new TemplateDrafts();
registerUnsaved(() => templateDrafts.dirtyIds().map((id) => `template ${id}`));
export const masterDraft = new MasterDraft();
registerUnsaved(() => (masterDraft.dirty ? ['the master configuration'] : []));
