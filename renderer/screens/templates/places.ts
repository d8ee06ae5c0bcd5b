/** Place of the form for a new template, `templates/+new`. A template id cannot start with a plus. */
export const NEW_TEMPLATE = '+new';

export const templateTabs = ['settings', 'services', 'files'] as const;
/** Tabs of a template's page, in the third part of its place. */
export type TemplateTab = (typeof templateTabs)[number];

/** Returns the tab named in a place, or the first one. */
export function tabOf(part: string | undefined): TemplateTab {
  return templateTabs.find((tab) => tab === part) ?? 'settings';
}
