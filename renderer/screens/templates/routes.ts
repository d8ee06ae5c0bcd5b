export const templateTabs = ['settings', 'services', 'files', 'data'] as const;
/** Tabs of a template's page. The third part of the page's route names the tab. */
export type TemplateTab = (typeof templateTabs)[number];

/** Returns the tab named in a route, or the first one. */
export function tabOf(part: string | undefined): TemplateTab {
  return templateTabs.find((tab) => tab === part) ?? 'settings';
}
