import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Faults of the fake. */
export interface Faults {
  /** HTTP status of the API's answers. */
  status?: number;
  /** Additional headers of the answers with this status. */
  headers?: Record<string, string>;
  /** Whether the list of builds is empty. */
  isEmpty?: boolean;
  /** Text that the fake sends instead of the list. */
  text?: string;
  /** Wrong hash that the fake announces. */
  checksum?: string;
  /** Number of bytes after which each download stops. The next download continues at this point. */
  cutAfter?: number;
  /** Whether the file server ignores the header `Range`, as some mirrors do. */
  ignoresRange?: boolean;
  /** HTTP status of downloads. */
  fileStatus?: number;
  /** Address to which downloads are redirected. */
  redirectsTo?: string;
  /** Wrong address of the archive in the list. */
  link?: string;
  /** Name of the release in the list. */
  release?: string;
}

/** Server that answers both as Adoptium's API and as the file server for downloads. */
export interface FakeAdoptium {
  readonly url: string;
  readonly faults: Faults;
  /** Received requests, in the form `path` or `path from BYTE`. */
  readonly requests: string[];
}

/**
 * Starts the fake for the calling test. The answers have all fields of the public documentation
 * (https://api.adoptium.net/q/swagger-ui, `BinaryAssetView`).
 *
 * @param archives content of the archive by feature version
 */
export async function fakeAdoptium(
  archives: Readonly<Record<number, string | Buffer>>,
): Promise<FakeAdoptium> {
  const faults: Faults = {};
  const requests: string[] = [];
  const contents = new Map(
    Object.entries(archives).map(([feature, archive]) => [
      feature,
      typeof archive === 'string' ? readFileSync(archive) : archive,
    ]),
  );
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    requests.push(from === 0 ? url.pathname : `${url.pathname} from ${from}`);
    const [, feature = ''] = /^\/v3\/assets\/latest\/(\d+)\/hotspot$/.exec(url.pathname) ?? [];
    const content = contents.get(feature === '' ? (url.pathname.split('/')[2] ?? '') : feature);
    if (feature !== '') answerList(response, { url, feature, content, faults, base: address() });
    else if (content === undefined) response.writeHead(404).end();
    else if (faults.redirectsTo !== undefined && !url.pathname.startsWith('/moved/'))
      response.writeHead(302, { Location: faults.redirectsTo }).end();
    else answerFile(request, response, { content, from, faults });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on a port is an `AddressInfo`.
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: address(), faults, requests };
}

interface List {
  readonly url: URL;
  readonly feature: string;
  readonly content: Buffer | undefined;
  readonly faults: Faults;
  readonly base: string;
}

function answerList(response: ServerResponse, { url, feature, content, faults, base }: List): void {
  if (faults.status !== undefined) {
    response.writeHead(faults.status, faults.headers).end('{"errorMessage":"a test"}');
    return;
  }
  // If the API does not have a version, it answers with status 404.
  if (content === undefined) {
    response.writeHead(404).end('{"errorMessage":"No releases found"}');
    return;
  }
  const architecture = url.searchParams.get('architecture');
  const name = `OpenJDK${feature}U-jre_${architecture}_linux_hotspot_${feature}.0.5_11.tar.gz`;
  const link = `${base}/files/${feature}/${name}`;
  const asset = {
    binary: {
      architecture,
      download_count: 12_345,
      heap_size: 'normal',
      image_type: url.searchParams.get('image_type'),
      jvm_impl: 'hotspot',
      os: url.searchParams.get('os'),
      package: {
        checksum: faults.checksum ?? createHash('sha256').update(content).digest('hex'),
        checksum_link: `${link}.sha256.txt`,
        download_count: 12_345,
        link: faults.link ?? link,
        metadata_link: `${link}.json`,
        name,
        signature_link: `${link}.sig`,
        size: content.length,
      },
      project: 'jdk',
      scm_ref: `jdk-${feature}.0.5+11_adopt`,
      updated_at: '2024-10-16T12:00:00Z',
    },
    release_link: `${base}/releases/jdk-${feature}.0.5%2B11`,
    release_name: faults.release ?? `jdk-${feature}.0.5+11`,
    vendor: url.searchParams.get('vendor'),
    version: {
      build: 11,
      major: Number(feature),
      minor: 0,
      openjdk_version: `${feature}.0.5+11-LTS`,
      optional: 'LTS',
      security: 5,
      semver: `${feature}.0.5+11.0.LTS`,
    },
  };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(faults.text ?? JSON.stringify(faults.isEmpty === true ? [] : [asset]));
}

interface File {
  readonly content: Buffer;
  readonly from: number;
  readonly faults: Faults;
}

function answerFile(_: IncomingMessage, response: ServerResponse, { content, from, faults }: File): void {
  if (faults.fileStatus !== undefined) {
    response.writeHead(faults.fileStatus).end();
    return;
  }
  const isPart = from > 0 && faults.ignoresRange !== true;
  const rest = isPart ? content.subarray(from) : content;
  const range = `bytes ${from}-${content.length - 1}/${content.length}`;
  response.writeHead(isPart ? 206 : 200, {
    'Content-Length': rest.length,
    ...(isPart ? { 'Content-Range': range } : {}),
  });
  if (faults.cutAfter === undefined || faults.cutAfter >= rest.length) response.end(rest);
  else response.write(rest.subarray(0, faults.cutAfter), () => response.destroy());
}
