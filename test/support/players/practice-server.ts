import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPracticeServer } from '../../../build/scripts/java/build-practice-server.mjs';
import { JavaProgram } from '../java/java-program.ts';

let jar: Promise<string> | undefined;

/** Returns the path of the practice server's jar. Builds it if it is missing or older than its sources. */
export function practiceServerJar(): Promise<string> {
  jar ??= buildPracticeServer();
  return jar;
}

export interface PracticeServerOptions {
  /** Files in the server's folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Lines of server.properties, which add to the defaults or replace them. By default, the server listens on a free
   * loopback port.
   */
  readonly properties?: Readonly<Record<string, string>>;
  /** Complete content of server.properties. Overrides `properties`. */
  readonly propertiesText?: string | Buffer;
  readonly jvmArguments?: readonly string[];
  /** Whether to wait until the server is ready; default true. If false, the start may still fail. */
  readonly waitUntilReady?: boolean;
}

/** Practice server that runs in a JVM with its own folder. */
export class PracticeServer extends JavaProgram {
  /** Port on which the server listens, read from its log. */
  get port(): number {
    const line = this.lines.find((text) => text.includes('Starting Minecraft server on'));
    const port = Number(line?.split(':').at(-1));
    if (!Number.isInteger(port)) throw new Error(`no port in the log yet: ${this.lines.join('\n')}`);
    return port;
  }
}

/** Starts a practice server without a master. The caller closes the server. */
export async function startPracticeServer(options: PracticeServerOptions = {}): Promise<PracticeServer> {
  const { jvmArguments = ['-Xmx64m', '-XX:+UseSerialGC'], waitUntilReady = true } = options;
  const properties = { 'server-ip': '127.0.0.1', 'server-port': '0', ...options.properties };
  const text =
    options.propertiesText ??
    Object.entries(properties)
      .map(([key, value]) => `${key}=${value}\n`)
      .join('');
  const serverJar = await practiceServerJar();
  const folder = await mkdtemp(join(tmpdir(), 'overworld-practice-'));
  await writeFile(join(folder, 'server.properties'), text);
  for (const [name, content] of Object.entries(options.files ?? {}))
    await writeFile(join(folder, name), content);
  const server = new PracticeServer(folder, [...jvmArguments, '-jar', serverJar, 'nogui']);
  if (!waitUntilReady) return server;
  try {
    await server.sees(/Done \([0-9.]+s\)!/);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}
