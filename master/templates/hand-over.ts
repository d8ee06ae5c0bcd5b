import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { PLUGIN_FILE, takesPlugin, type SoftwareFacts } from '#shared/link/software.ts';
import type { Forwarding, ProvidedFile, Provision } from './provision.ts';

/** Values of the lines in {@link HAND_OVER_FILE}, as returned by `Link.handOver`. */
export interface HandOverLines {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the master's certificate in lower-case hex. */
  readonly fingerprint: string;
  readonly service: string;
  readonly token: string;
}

/** Facts from which the provision of a service is built. */
export interface ProvisionFacts extends SoftwareFacts {
  readonly handOver: HandOverLines;
  /** Content of Overworld's plugin; the same buffer for all services. Null if this master has none. */
  readonly pluginJar: Buffer | null;
  /** Result of `forwardingOf`; null if the network has no proxy whose forwarding Overworld knows. */
  readonly forwarding: Forwarding | null;
}

/**
 * Builds the files and settings that a service gets in addition to its template's files, as an argument of
 * `Runtime.prepare`: the plugin and the hand-over file if the service's software can load the plugin ({@link
 * takesPlugin}), and the forwarding settings.
 */
export function provisionOf(facts: ProvisionFacts): Provision {
  const { handOver, pluginJar, forwarding } = facts;
  if (pluginJar === null || !takesPlugin(facts)) return { files: [], forwarding };
  const jar: ProvidedFile = { path: PLUGIN_FILE, content: pluginJar, mode: 0o644 };
  const link: ProvidedFile = { path: HAND_OVER_FILE, content: handOverFile(handOver), mode: 0o600 };
  return { files: [jar, link], forwarding };
}

/** Formats the hand-over file for java.util.Properties: `KEY=VALUE` lines in plain ASCII. */
export function handOverFile({ host, port, fingerprint, service, token }: HandOverLines): Buffer {
  const lines = { host, port: String(port), fingerprint, service, token };
  const text = Object.entries(lines).map(([key, value]) => `${key}=${escaped(value)}\n`);
  return Buffer.from(
    `# Created by Overworld for this service: how it connects to the master.\n${text.join('')}`,
  );
}

/**
 * Escapes backslashes, white space and all characters outside printable ASCII. The characters `=`, `:`, `#` and `!`
 * need no escape in a value.
 */
function escaped(value: string): string {
  return value.replace(/[^!-~]|\\/g, (char) =>
    char === '\\' ? '\\\\' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
