/** Place of the form for a new template, `templates/+new`. A template's id cannot begin with a plus. */
export const NEW_TEMPLATE = '+new';

export const templateTabs = ['settings', 'services', 'files'] as const;
/** Tabs of a template's page, in the third part of its place. */
export type TemplateTab = (typeof templateTabs)[number];

/** The tab named in a place; the first one for anything else. */
export function tabOf(part: string | undefined): TemplateTab {
  return templateTabs.find((tab) => tab === part) ?? 'settings';
}
