import { takesPlugin, type SoftwareFacts } from '#shared/link/software.ts';
import { VERSION } from '#shared/version.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Forwarding, Provision } from '#master/runtime/runtime.ts';
import { provisionOf } from '#master/templates/hand-over.ts';
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
export function currentSetup(
  id: TemplateId,
  { isProxy, defaultServiceFiles }: Pick<TemplateConfig, 'isProxy' | 'defaultServiceFiles'>,
  { templates, balancer, supplies, proxies, sharedFiles }: Known,
): ServiceSetup {
  const facts: SoftwareFacts = { isProxy, software: templates.state(id).jar?.software ?? null };
  return {
    // Only proxies with known software get the PROXY protocol header, because only their configuration can be changed
    // to expect the header.
    proxyProtocol: isProxy && proxies.kindOf(id) !== null && balancer.sendsProxyProtocol,
    forwarding: proxies.forwarding?.kind ?? null,
    plugin: supplies.pluginJar !== null && takesPlugin(facts) ? VERSION : null,
    sharedFiles: sharedFiles.fingerprint(defaultServiceFiles),
  };
}

/** The properties of a service on which its setup depends. */
interface SetUpService {
  readonly id: ServiceId;
  readonly template: TemplateId;
  readonly placed: { readonly values: Pick<TemplateConfig, 'isProxy'> } | null;
}

/**
 * Returns the files and secrets that the master adds when a service starts: the plugin, the file with which the
 * plugin finds the master, and the configuration for forwarding.
 */
export function provide(
  { id, template, placed }: SetUpService,
  forwarding: Forwarding | null,
  { link, templates, supplies }: Pick<Documents, 'templates'> & Pick<IngressAccess, 'link' | 'supplies'>,
): Provision {
  return provisionOf({
    isProxy: placed?.values.isProxy ?? false,
    software: templates.state(template).jar?.software ?? null,
    handOver: link.handOver(id),
    pluginJar: supplies.pluginJar,
    forwarding,
  });
}
