import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { practiceProxyJar } from '../players/practice-proxy.ts';
import { practiceServerJar } from '../players/practice-server.ts';

/** Jar that the catalogue offers. */
interface OfferedJar {
  readonly content: Buffer;
}

/** Function that can answer a request with a fault. Returns false if the catalogue must answer the request. */
export type Trouble = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Fake of the publishers of server software on loopback. Its answers follow the public documentation of PaperMC's
 * downloads service v3, Purpur's API v2, Mojang's version manifest v2, and Fabric's meta v2. All game servers that it
 * offers are the practice server, and all proxies are the practice proxy.
 */
export class FakeCatalogue {
  /** Base address of the fake. */
  readonly url: string;
  /** Requests so far: path, header `Range` if it is set, and user agent. */
  readonly requests: { readonly path: string; readonly range: string | undefined; readonly agent: string }[] =
    [];
  /** Builds of each version of Paper, newest first. Tests add newer builds. */
  readonly paperBuilds: number[] = [131, 130];
  /** If this function returns true, it has answered the request, and the catalogue does not answer. */
  trouble: Trouble | null = null;
  readonly #server: Server;
  readonly #jars: Readonly<Record<'game' | 'proxy', OfferedJar>>;

  private constructor(server: Server, jars: Readonly<Record<'game' | 'proxy', OfferedJar>>) {
    this.#server = server;
    this.#jars = jars;
    // The server listens on TCP, so its address is not a string.
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<FakeCatalogue> {
    const jars = {
      game: { content: await readFile(await practiceServerJar()) },
      proxy: { content: await readFile(await practiceProxyJar()) },
    };
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FakeCatalogue(server, jars);
  }

  /** Returns the content of the offered jar for proxies or game servers. Each build has a different content. */
  jar(kind: 'game' | 'proxy', build = 0): Buffer {
    const { content } = this.#jars[kind];
    // Add a comment, so that builds differ. A zip archive can have a comment at its end. The two bytes before the
    // comment contain the comment's length.
    if (build === 0) return content;
    const comment = Buffer.from(`build ${build}`);
    const changed = Buffer.concat([content, comment]);
    changed.writeUInt16LE(comment.length, content.length - 2);
    return changed;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(request.url ?? '');
    const { range, 'user-agent': agent = '' } = request.headers;
    this.requests.push({ path, range, agent });
    if (this.trouble?.(request, response) === true) return;
    const file = this.#file(path);
    if (file !== null) {
      sendFile(response, file, range);
      return;
    }
    const document = this.#document(path);
    response.statusCode = document === null ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(document ?? { ok: false, error: 'not_found', message: 'Not found' }));
  }

  #file(path: string): Buffer | null {
    const paper = /^\/papermc\/files\/(velocity|paper|folia|waterfall)-(\d+)\.jar$/.exec(path);
    if (paper !== null) return this.jar(isProxy(paper[1]) ? 'proxy' : 'game', Number(paper[2]));
    const own = [
      '/purpur/purpur/1.21.11/2547/download',
      '/vanilla/v1/objects/server.jar',
      '/fabric/versions/loader/1.21.11/0.18.4/1.1.0/server/jar',
    ];
    return own.includes(path) ? this.jar('game') : null;
  }

  #document(path: string): unknown {
    const [, publisher, ...rest] = path.split('/');
    const at = rest.join('/');
    switch (publisher) {
      case 'papermc':
        return this.#papermc(at);
      case 'purpur':
        return this.#purpur(at);
      case 'vanilla':
        return this.#vanilla(at);
      case 'fabric':
        return fabric[at] ?? null;
      default:
        return null;
    }
  }

  #papermc(path: string): unknown {
    const [, project = '', version] =
      /^projects\/(velocity|paper|folia|waterfall)(?:\/versions\/([^/]+)\/builds)?$/.exec(path) ?? [];
    const versions = paperVersions[project];
    if (versions === undefined) return null;
    if (version === undefined) return { project: { id: project, name: project }, versions };
    if (!Object.values(versions).flat().includes(version)) return null;
    return this.paperBuilds.map((id) => {
      const content = this.jar(isProxy(project) ? 'proxy' : 'game', id);
      const name = `${project}-${version}-${id}.jar`;
      return {
        id,
        time: '2026-10-12T18:03:11.000Z',
        channel: id > 200 ? 'ALPHA' : 'STABLE',
        commits: [{ sha: '4a1b2c', time: '2026-10-12T17:58:40.000Z', message: 'Fix' }],
        downloads: {
          'server:default': {
            name,
            checksums: { sha256: hashOf('sha256', content) },
            size: content.length,
            url: `${this.url}/papermc/files/${project}-${id}.jar`,
          },
        },
      };
    });
  }

  #purpur(path: string): unknown {
    const answers: Readonly<Record<string, unknown>> = {
      purpur: { project: 'purpur', metadata: { current: '1.21.11' }, versions: ['1.20.6', '1.21.11'] },
      'purpur/1.21.11': {
        project: 'purpur',
        version: '1.21.11',
        builds: { latest: '2547', all: ['2546', '2547'] },
      },
      'purpur/1.21.11/2547': {
        project: 'purpur',
        version: '1.21.11',
        build: '2547',
        result: 'SUCCESS',
        timestamp: 1_765_000_000_000,
        duration: 81_000,
        commits: [],
        metadata: { type: 'release' },
        md5: hashOf('md5', this.jar('game')),
      },
    };
    return answers[path] ?? null;
  }

  #vanilla(path: string): unknown {
    const server = this.jar('game');
    const version = (id: string, type: string) => ({
      id,
      type,
      url: `${this.url}/v1/packages/${id}.json`,
      time: '2026-09-01T10:00:00+00:00',
      releaseTime: '2026-09-01T09:00:00+00:00',
      sha1: '0'.repeat(40),
      complianceLevel: 1,
    });
    const answers: Readonly<Record<string, unknown>> = {
      'mc/game/version_manifest_v2.json': {
        latest: { release: '1.21.11', snapshot: '26w14a' },
        versions: [
          version('26w14a', 'snapshot'),
          version('1.21.11', 'release'),
          version('b1.7.3', 'old_beta'),
        ],
      },
      'v1/packages/1.21.11.json': {
        id: '1.21.11',
        javaVersion: { component: 'java-runtime-delta', majorVersion: 21 },
        downloads: {
          client: { sha1: '1'.repeat(40), size: 1, url: `${this.url}/vanilla/v1/objects/client.jar` },
          server: {
            sha1: hashOf('sha1', server),
            size: server.length,
            url: `${this.url}/vanilla/v1/objects/server.jar`,
          },
        },
      },
      'v1/packages/26w14a.json': {
        id: '26w14a',
        downloads: { client: { sha1: '1'.repeat(40), size: 1, url: `${this.url}/client.jar` } },
      },
    };
    return answers[path] ?? null;
  }
}

/** Versions of PaperMC's projects, grouped as its service does, newest first. */
const paperVersions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  paper: { '1.21': ['1.21.12-pre1', '1.21.11', '1.21.10'], '1.20': ['1.20.6'] },
  folia: { '1.21': ['1.21.11'] },
  velocity: { '3.0.0': ['3.4.0-SNAPSHOT', '3.3.0-SNAPSHOT'] },
  waterfall: { '1.21': ['1.21'] },
};

const fabric: Readonly<Record<string, unknown>> = {
  'versions/game': [
    { version: '26w14a', stable: false },
    { version: '1.21.11', stable: true },
  ],
  'versions/loader/1.21.11': [
    {
      loader: {
        separator: '.',
        build: 4,
        maven: 'net.fabricmc:fabric-loader:0.18.4',
        version: '0.18.4',
        stable: true,
      },
      intermediary: { maven: 'net.fabricmc:intermediary:1.21.11', version: '1.21.11', stable: true },
      launcherMeta: { version: 2 },
    },
  ],
  'versions/installer': [
    { url: 'https://maven.fabricmc.net/…', maven: 'net.fabricmc:…', version: '1.1.0', stable: true },
  ],
};

function isProxy(project: string | undefined): boolean {
  return project === 'velocity' || project === 'waterfall';
}

function hashOf(algorithm: string, content: Buffer): string {
  return createHash(algorithm).update(content).digest('hex');
}

function sendFile(response: ServerResponse, content: Buffer, range: string | undefined): void {
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const body = content.subarray(from);
  if (body.length === 0) {
    // Range Not Satisfiable (RFC 9110, section 15.5.17).
    response.statusCode = 416;
    response.end();
    return;
  }
  response.statusCode = from > 0 ? 206 : 200;
  if (from > 0) response.setHeader('content-range', `bytes ${from}-${content.length - 1}/${content.length}`);
  response.setHeader('content-length', body.length);
  response.end(body);
}
