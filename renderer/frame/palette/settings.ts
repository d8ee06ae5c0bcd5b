import LayoutTemplate from '@lucide/svelte/icons/layout-template';
import { describeFields } from '#shared/config/field.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Template } from '#shared/model/template.ts';
import type { SearchableVerb } from '../../view/search.ts';
import type { PaletteEntry } from './entries.ts';

/** Fields of a template's configuration. They do not change while the app runs. */
const fields = describeFields(templateConfigSchema).map(({ path, label, group }) => ({
  path: path.join('.'),
  label,
  group: group ?? '',
}));

/**
 * Returns an entry for each setting of each template. A search for `lobby memory` finds the memory of the template
 * `lobby`.
 */
export function templateSettings(
  templates: readonly Template[],
  go: (...parts: readonly string[]) => void,
): readonly SearchableVerb<PaletteEntry>[] {
  const objects = templates.map(({ id }) => id);
  return fields.map(({ path, label, group }) => ({
    words: `${label} ${group} ${path} setting`,
    objects,
    toEntry: (id) => ({
      id: `setting ${path} ${id}`,
      label: `${label} of ${id}`,
      hint: 'Template setting',
      icon: LayoutTemplate,
      onselect: () => go('templates', id, 'settings', path),
    }),
  }));
}
