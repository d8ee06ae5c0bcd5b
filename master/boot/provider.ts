import type { ProviderProjects } from '#master/nodes/provider-projects.ts';
import type { TestedProjectsOptions } from '#master/nodes/hetzner/project/tested-projects.ts';

/**
 * Opens the part that tests API tokens. The API client is loaded at the first test, because most masters never need
 * it.
 */
export function lazyProjects(options: TestedProjectsOptions): ProviderProjects {
  let opened: Promise<ProviderProjects> | null = null;
  const open = async (): Promise<ProviderProjects> => {
    const { TestedProjects } = await import('#master/nodes/hetzner/project/tested-projects.ts');
    return new TestedProjects(options);
  };
  return { test: async (token, age) => (await (opened ??= open())).test(token, age) };
}
