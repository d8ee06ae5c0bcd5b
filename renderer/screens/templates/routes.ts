/**
 * Second part of the route of the form for a new template: `templates/+new`. Otherwise this part is the id of a
 * template, and no id can start with a plus.
 */
export const NEW_TEMPLATE = '+new';

export const templateTabs = ['settings', 'services', 'files', 'data'] as const;
/** Tabs of a template's page. The third part of the page's route names the tab. */
export type TemplateTab = (typeof templateTabs)[number];

/** Returns the tab named in a route, or the first one. */
export function tabOf(part: string | undefined): TemplateTab {
  return templateTabs.find((tab) => tab === part) ?? 'settings';
}
