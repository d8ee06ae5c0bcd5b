import { describeFields } from '#shared/config/field.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { SvelteMap } from 'svelte/reactivity';
import { Draft } from './draft.svelte.ts';
import { tellsUnsaved } from './unsaved.ts';

const fields = describeFields(templateConfigSchema);

/** What is being edited of templates, one draft each. Kept while the window is open: leaving an editor loses nothing. */
class TemplateDrafts {
  readonly #drafts = new SvelteMap<TemplateId, Kept>();

  /** The draft of a template, begun when there is none. Call outside of derived values: it may begin one. */
  readonly open = (template: Template): Draft => {
    const found = this.#drafts.get(template.id);
    if (found !== undefined) return found.draft;
    const kept = keep(template);
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
function keep(template: Template): Kept {
  let draft: Draft | undefined;
  const end = $effect.root(() => {
    draft = new Draft(templateConfigSchema, fields, versionOf(template));
  });
  // The root runs its function at once.
  if (draft === undefined) throw new Error('the draft was not begun');
  return { draft, end };
}

export function versionOf(template: Template): { config: unknown; revision: string } {
  return { config: template.config, revision: template.configRevision };
}

export const templateDrafts = new TemplateDrafts();
tellsUnsaved(() => templateDrafts.dirtyIds().map((id) => `template ${id}`));
