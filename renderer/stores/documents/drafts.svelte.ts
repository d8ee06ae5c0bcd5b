import { describeFields, type FieldDescription } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { isKnownAt } from '#shared/config/newer-fields.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { SvelteMap } from 'svelte/reactivity';
import { link } from '../connection/link.svelte.ts';
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
    const found = this.#drafts.get(template.id);
    if (found !== undefined) return found.draft;
    const kept = keep(
      () => new Draft(templateConfigSchema, knownFields(templateFields), versionOf(template)),
    );
    this.#drafts.set(template.id, kept);
    return kept.draft;
  };

  /** Whether a template has unsaved changes. */
  readonly isDirty = (id: TemplateId): boolean => this.#drafts.get(id)?.draft.dirty === true;

  /** Ids of the templates with unsaved changes. */
  readonly dirtyIds = (): readonly TemplateId[] => [...this.#drafts.keys()].filter(this.isDirty);

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

/** Draft of the master configuration. */
class MasterDraft {
  #kept = $state.raw<Kept | null>(null);

  /**
   * Returns the draft. Creates it if there is none. Must not be called in derived values, because these must not
   * change state.
   */
  readonly open = (version: DocumentVersion): Draft => {
    this.#kept ??= keep(() => new Draft(masterConfigSchema, knownFields(masterFields), version));
    return this.#kept.draft;
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
