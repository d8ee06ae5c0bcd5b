import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPracticeProxy } from '../../../build/scripts/java/build-practice-proxy.mjs';
import { JavaProgram } from '../java/java-program.ts';

let jar: Promise<string> | undefined;

/** Returns the path of the practice proxy's jar. Builds it if it is missing or older than its sources. */
export function practiceProxyJar(): Promise<string> {
  jar ??= buildPracticeProxy();
  return jar;
}

export interface PracticeProxyOptions {
  /** Complete content of config.yml; see {@link proxyConfig}. */
  readonly config: string;
  /** Additional files in the proxy's folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly jvmArguments?: readonly string[];
  /**
   * Whether all players may join without a decision of Overworld's plugin; default true. If false, the plugin
   * decides, as in a service.
   */
  readonly withoutPlugin?: boolean;
  /** Whether to wait until the proxy is ready; default true. If false, the start may still fail. */
  readonly waitUntilReady?: boolean;
}

/** Practice proxy that runs in a JVM with its own folder. */
export class PracticeProxy extends JavaProgram {
  /** Port on which the proxy listens, read from its log. */
  get port(): number {
    const line = this.lines.find((text) => text.includes('Listening on /'));
    const port = Number(line?.split(':').at(-1));
    if (!Number.isInteger(port)) throw new Error(`no port in the log yet: ${this.lines.join('\n')}`);
    return port;
  }
}

/**
 * Returns a config.yml with forwarding, for a free loopback port.
 *
 * @param servers ports of the game servers by name, in the order in which the proxy tries them for a player
 */
export function proxyConfig(
  servers: Readonly<Record<string, number>>,
  options: { readonly proxyProtocol?: boolean; readonly timeoutMs?: number } = {},
): string {
  const names = Object.keys(servers);
  return [
    'ip_forward: true',
    `timeout: ${options.timeoutMs ?? 30_000}`,
    'listeners:',
    '- host: 127.0.0.1:0',
    '  max_players: 50',
    `  proxy_protocol: ${options.proxyProtocol ?? false}`,
    '  priorities:',
    ...names.map((name) => `  - ${name}`),
    'servers:',
    ...names.flatMap((name) => [`  ${name}:`, `    address: 127.0.0.1:${servers[name]}`]),
    '',
  ].join('\n');
}

/** Starts a practice proxy without a master. The caller closes the proxy. */
export async function startPracticeProxy(options: PracticeProxyOptions): Promise<PracticeProxy> {
  const { jvmArguments = ['-Xmx64m', '-XX:+UseSerialGC'], withoutPlugin = true } = options;
  const proxyJar = await practiceProxyJar();
  const folder = await mkdtemp(join(tmpdir(), 'overworld-proxy-'));
  await writeFile(join(folder, 'config.yml'), options.config);
  for (const [name, content] of Object.entries(options.files ?? {}))
    await writeFile(join(folder, name), content);
  const mode = withoutPlugin ? ['-Dpractice.without-plugin=true'] : [];
  const proxy = new PracticeProxy(folder, [...jvmArguments, ...mode, '-jar', proxyJar, '--nogui']);
  if (options.waitUntilReady === false) return proxy;
  try {
    await proxy.sees(/Listening on \//);
  } catch (error) {
    await proxy.close();
    throw error;
  }
  return proxy;
}
