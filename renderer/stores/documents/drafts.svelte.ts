import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { SvelteMap } from 'svelte/reactivity';
import { Draft, type Version } from './draft.svelte.ts';
import { tellsUnsaved } from './unsaved.svelte.ts';

const templateFields = describeFields(templateConfigSchema);
const masterFields = describeFields(masterConfigSchema);

/** What is being edited of templates, one draft each. Kept while the window is open: leaving an editor loses nothing. */
class TemplateDrafts {
  readonly #drafts = new SvelteMap<TemplateId, Kept>();

  /** The draft of a template, begun when there is none. Call outside of derived values: it may begin one. */
  readonly open = (template: Template): Draft => {
    const found = this.#drafts.get(template.id);
    if (found !== undefined) return found.draft;
    const kept = keep(() => new Draft(templateConfigSchema, templateFields, versionOf(template)));
    this.#drafts.set(template.id, kept);
    return kept.draft;
  };

  /** True when a template has changes that are not saved. */
  readonly isDirty = (id: TemplateId): boolean => this.#drafts.get(id)?.draft.dirty === true;

  /** Ids of the templates with changes that are not saved. */
  readonly dirtyIds = (): readonly TemplateId[] => [...this.#drafts.keys()].filter(this.isDirty);

  /** Forgets a draft: its template was deleted. */
  readonly forget = (id: TemplateId): void => {
    this.#drafts.get(id)?.end();
    this.#drafts.delete(id);
  };
}

interface Kept {
  readonly draft: Draft;
  readonly end: () => void;
}

/** Begins a draft under a root of its own: derived values made inside an editor would go stale with that editor. */
function keep(begin: () => Draft): Kept {
  let draft: Draft | undefined;
  const end = $effect.root(() => {
    draft = begin();
  });
  // The root runs its function at once.
  if (draft === undefined) throw new Error('the draft was not begun');
  return { draft, end };
}

/** What is being edited of the master configuration. */
class MasterDraft {
  #kept = $state.raw<Kept | null>(null);

  /** The draft, begun when there is none. Call outside of derived values: it may begin one. */
  readonly open = (version: Version): Draft => {
    this.#kept ??= keep(() => new Draft(masterConfigSchema, masterFields, version));
    return this.#kept.draft;
  };

  get dirty(): boolean {
    return this.#kept?.draft.dirty === true;
  }

  /** Forgets it: what was typed is gone. */
  readonly forget = (): void => {
    this.#kept?.end();
    this.#kept = null;
  };
}

/** A document as the admin API tells it, as the version that a draft begins with. */
export function versionOf(document: { readonly config: unknown; readonly configRevision: string }): Version {
  return { config: document.config, revision: document.configRevision };
}

export const templateDrafts = new TemplateDrafts();
tellsUnsaved(() => templateDrafts.dirtyIds().map((id) => `template ${id}`));
export const masterDraft = new MasterDraft();
tellsUnsaved(() => (masterDraft.dirty ? ['the master configuration'] : []));
