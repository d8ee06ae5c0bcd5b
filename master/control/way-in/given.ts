import { softwareFamily, takesPlugin, type SoftwareFacts } from '#shared/link/software.ts';
import { VERSION } from '#shared/version.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Forwarding, Provision, ServiceSpec } from '#master/runtime/runtime.ts';
import { provisionOf } from '#master/templates/hand-over.ts';
import type { Parts } from '../parts.ts';
import type { ServiceRecord } from '../records.ts';
import { isProxySoftware } from './proxies.ts';

/** What a service is started with for the players' way in; it stays so until its next start. */
export type Given = Pick<ServiceSpec, 'proxyProtocol' | 'forwarding' | 'plugin'>;

/** What this master has to give to services. */
export interface Supplies {
  /** Overworld's plugin; null: this master has none, as when it was not built. */
  readonly pluginJar: Buffer | null;
  /** Known to proxies and game servers of this network alone: by it these believe those who a player is. */
  readonly forwardingSecret: string;
}

type Known = Pick<Parts, 'config' | 'templates' | 'balancer' | 'supplies'>;

/** What services started now are given; looks through the templates once, whatever their number. */
export function givenNow(known: Known): (id: TemplateId, config: TemplateConfig) => Given {
  const { templates, balancer, supplies } = known;
  const forwarding = forwardingNow(known)?.kind ?? null;
  return (id, { isProxy }) => {
    const facts: SoftwareFacts = { isProxy, software: templates.state(id).jar?.software ?? null };
    return {
      proxyProtocol: isProxy && isProxySoftware(facts.software) && balancer.sendsProxyProtocol,
      forwarding,
      plugin: supplies.pluginJar !== null && takesPlugin(facts) ? VERSION : null,
    };
  };
}

/** How proxies tell game servers who a player is; null while there are none that Overworld knows. */
function forwardingNow({ config, templates, supplies }: Known): Forwarding | null {
  const families = [...config.templates].flatMap(([id, { state }]) => {
    const software = templates.state(id).jar?.software ?? null;
    return state.config.isProxy && isProxySoftware(software) ? [softwareFamily(software)] : [];
  });
  if (families.length === 0) return null;
  const kind = families.every((family) => family === 'velocity') ? 'modern' : 'legacy';
  return { kind, secret: supplies.forwardingSecret, checked: true };
}

/** All that a service is given at its start beside its template's files. */
export function provide(record: ServiceRecord, parts: Known & Pick<Parts, 'link'>): Provision {
  const { link, templates, supplies } = parts;
  return provisionOf({
    isProxy: record.placed?.values.isProxy ?? false,
    software: templates.state(record.template).jar?.software ?? null,
    handOver: link.handOver(record.id),
    pluginJar: supplies.pluginJar,
    forwarding: forwardingNow(parts),
  });
}
