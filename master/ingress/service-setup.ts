import { isGameServerSoftware, takesPlugin, type SoftwareFacts } from '#shared/link/software.ts';
import { VERSION } from '#shared/version.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Forwarding, Provision } from '#master/runtime/runtime.ts';
import { provisionOf } from '#master/templates/hand-over.ts';
import { serverJarOf, type ServerJarSources } from '#master/templates/server-jar.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { ServiceSetup } from '#master/state/services/started-from.ts';
import type { ServiceId } from '#shared/model/service.ts';

type Known = Pick<Documents, 'templates' | 'sharedFiles'> &
  Pick<IngressAccess, 'balancer' | 'supplies' | 'proxies'>;

/**
 * Returns the setup that a service of a template would get if it started now. The setup consists of the PROXY
 * protocol, the forwarding of player identities, the version of the plugin, and the fingerprint of the shared files.
 */
export function currentSetup(id: TemplateId, config: SetUpConfig, known: Known): ServiceSetup {
  const { isProxy, defaultServiceFiles } = config;
  const { balancer, supplies, proxies, sharedFiles } = known;
  const facts: SoftwareFacts = { isProxy, software: serverJarOf(id, config, known).software };
  return {
    // Only proxies with known software get the PROXY protocol header, because only their configuration can be changed
    // to expect the header.
    proxyProtocol: isProxy && proxies.kindOf(id) !== null && balancer.sendsProxyProtocol,
    forwarding: proxies.forwarding?.kind ?? null,
    plugin: supplies.pluginJar !== null && takesPlugin(facts) ? VERSION : null,
    sharedFiles: sharedFiles.fingerprint(defaultServiceFiles),
  };
}

type SetUpConfig = Pick<TemplateConfig, 'isProxy' | 'defaultServiceFiles'>;

/** The templates of the network with their configuration. */
interface AllTemplates {
  readonly templates: ReadonlyMap<TemplateId, { readonly state: { readonly config: SetUpConfig } }>;
}

/**
 * Reports whether any template may be a proxy. `isProxy` is on by default, so templates with the software of a game
 * server do not count, but all other software does.
 */
export function mayHaveProxy(known: ServerJarSources & { readonly config: AllTemplates }): boolean {
  return [...known.config.templates].some(
    ([id, { state }]) =>
      state.config.isProxy && !isGameServerSoftware(serverJarOf(id, state.config, known).software),
  );
}

/**
 * Returns the files and secrets that the master adds when a service starts: the plugin, the file with which the
 * plugin finds the master, and the configuration for forwarding.
 */
export function provide(
  { id, ...software }: SoftwareFacts & { readonly id: ServiceId },
  forwarding: Forwarding | null,
  { link, supplies }: Pick<IngressAccess, 'link' | 'supplies'>,
): Provision {
  return provisionOf({
    ...software,
    handOver: link.handOver(id),
    pluginJar: supplies.pluginJar,
    forwarding,
  });
}
