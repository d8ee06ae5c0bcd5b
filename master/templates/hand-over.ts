import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { PLUGIN_FILE, takesPlugin, type SoftwareFacts } from '#shared/link/software.ts';
import type { Forwarding, GivenFile, Provision } from './provision.ts';

/** What stands in {@link HAND_OVER_FILE}, as `Link.handOver` gives it. */
export interface HandOverLines {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the master's certificate, lower case hex. */
  readonly fingerprint: string;
  readonly service: string;
  readonly token: string;
}

/** What is known of a service that is to be provided for. */
export interface ProvisionFacts extends SoftwareFacts {
  readonly handOver: HandOverLines;
  /** Content of Overworld's plugin; the same buffer for all services. Null: this master has none. */
  readonly pluginJar: Buffer | null;
  /** As `forwardingOf` says; null: the network has no proxies whose forwarding is known. */
  readonly forwarding: Forwarding | null;
}

/**
 * What a service gets beside its template's files, to be given to `Runtime.prepare`: plugin and hand-over file where it takes the
 * plugin ({@link takesPlugin}), and how forwarding is to be set up in its configuration.
 */
export function provisionOf(facts: ProvisionFacts): Provision {
  const { handOver, pluginJar, forwarding } = facts;
  if (pluginJar === null || !takesPlugin(facts)) return { files: [], forwarding };
  const jar: GivenFile = { path: PLUGIN_FILE, content: pluginJar, mode: 0o644 };
  const link: GivenFile = { path: HAND_OVER_FILE, content: handOverFile(handOver), mode: 0o600 };
  return { files: [jar, link], forwarding };
}

/** The hand-over file as java.util.Properties reads it: `KEY=VALUE` lines in plain ASCII. */
export function handOverFile({ host, port, fingerprint, service, token }: HandOverLines): Buffer {
  const lines = { host, port: String(port), fingerprint, service, token };
  const text = Object.entries(lines).map(([key, value]) => `${key}=${escaped(value)}\n`);
  return Buffer.from(
    `# Made by Overworld for this service alone: how it reaches its master.\n${text.join('')}`,
  );
}

/** Only an escape keeps leading white space and what is not ASCII; `=`, `:`, `#` and `!` need none in a value. */
function escaped(value: string): string {
  return value.replace(/[^!-~]|\\/g, (char) =>
    char === '\\' ? '\\\\' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
