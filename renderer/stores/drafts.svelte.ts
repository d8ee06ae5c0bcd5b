import { describeFields } from '#shared/config/field.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { SvelteMap } from 'svelte/reactivity';
import { Draft } from './draft.svelte.ts';

const fields = describeFields(templateConfigSchema);

/** What is being edited of templates, one draft each. Kept while the window is open: leaving an editor loses nothing. */
class TemplateDrafts {
  readonly #drafts = new SvelteMap<TemplateId, Draft>();

  /** The draft of a template, begun when there is none. Call outside of derived values: it may begin one. */
  readonly open = (template: Template): Draft => {
    const found = this.#drafts.get(template.id);
    if (found !== undefined) return found;
    const draft = new Draft(templateConfigSchema, fields, versionOf(template));
    this.#drafts.set(template.id, draft);
    return draft;
  };

  /** True when a template has changes that are not saved. */
  readonly isDirty = (id: TemplateId): boolean => this.#drafts.get(id)?.dirty === true;

  /** Forgets a draft: its template was deleted. */
  readonly forget = (id: TemplateId): void => {
    this.#drafts.delete(id);
  };
}

export function versionOf(template: Template): { config: unknown; revision: string } {
  return { config: template.config, revision: template.configRevision };
}

export const templateDrafts = new TemplateDrafts();
