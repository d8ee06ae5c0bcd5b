import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { ProviderProjects, TestedProject } from '#master/nodes/provider-projects.ts';

export interface OwnProjectOptions {
  readonly projects: ProviderProjects;
  /** Returns the nodes that the master knows now. */
  readonly nodes: () => readonly (Pick<NodeSnapshot, 'id' | 'rental'> & { readonly address: string })[];
}

/** Tests API tokens, and checks that the project of a token contains the known cloud nodes. */
export class OwnProject {
  readonly #options: OwnProjectOptions;
  /**
   * For each answer of the provider, the ids of the nodes that the master knew before it requested the answer. The
   * answer must therefore contain the servers of these nodes.
   */
  readonly #knownBefore = new WeakMap<TestedProject, ReadonlySet<string>>();

  constructor(options: OwnProjectOptions) {
    this.#options = options;
  }

  /**
   * Tests a token. An answer without servers of this network may be older than the network's first node. In this
   * case, the provider is asked once more.
   *
   * @throws OverworldError PROVIDER_OTHER_PROJECT; errors of {@link ProviderProjects.test}
   */
  async test(token: string): Promise<TestedProject> {
    const { projects, nodes } = this.#options;
    const known = nodes().flatMap(({ id, rental, address }) => (rental === null || address === '' ? [] : id));
    const tested = await projects.test(token);
    if (known.length === 0 || tested.project.servers.ours > 0) return tested;
    const before = this.#knownBefore.get(tested);
    if (before === undefined || known.some((id) => !before.has(id))) {
      const again = await projects.test(token, 'fresh');
      this.#knownBefore.set(again, new Set(known));
      if (again.project.servers.ours > 0) return again;
    }
    throw new OverworldError('PROVIDER_OTHER_PROJECT', { nodes: known.length });
  }
}
