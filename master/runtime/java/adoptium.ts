import { readLimited } from '#shared/node/read-limited.ts';
import { z } from 'zod';
import { JavaProblem } from './java-problem.ts';

/** Address of the public API that offers Temurin builds of Java (https://api.adoptium.net, API v3). */
export const ADOPTIUM_URL = 'https://api.adoptium.net';

/** Time limit of a request for the newest build (ms). */
const REQUEST_TIMEOUT_MS = 20_000;

/** Maximum size of an answer of the API (bytes). A typical answer has about 5 KB. */
const MAX_ANSWER_BYTES = 1_000_000;

/** Machine for which a build of Java is made, in the words of the API. */
export interface JavaPlatform {
  readonly os: 'linux' | 'mac';
  readonly architecture: 'x64' | 'aarch64';
}

/** A build of Java to download. */
export interface JavaBuild {
  /** Feature version, such as 21. */
  readonly feature: number;
  /** Release, such as `jdk-21.0.5+11`. */
  readonly release: string;
  /** File name of the archive (`.tar.gz`). */
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
  /** Size of the archive (bytes). */
  readonly size: number;
}

/** The parts of an answer that are used. The API documents the shape as `BinaryAssetView`. */
const assetsSchema = z.array(
  z.object({
    // Becomes the name of a folder, so it must not be `..`.
    release_name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$/),
    binary: z.object({
      package: z.object({
        name: z.string().regex(/^[A-Za-z0-9.+_-]{1,200}\.tar\.gz$/),
        link: z.url({ protocol: /^https?$/ }),
        checksum: z.string().regex(/^[0-9a-f]{64}$/),
        size: z.int().min(1).max(2_000_000_000),
      }),
    }),
  }),
);

/**
 * Returns the newest build of a JRE that the Adoptium API offers, without downloading it.
 *
 * @param base address of the API
 * @param feature version of Java, such as 21
 * @throws JavaProblem if there is no build for the platform, or the API does not answer within 20 s or as expected
 */
export async function findBuild(
  base: string,
  feature: number,
  { os, architecture }: JavaPlatform,
): Promise<JavaBuild> {
  const query = new URLSearchParams({ architecture, image_type: 'jre', os, vendor: 'eclipse' });
  const url = new URL(`/v3/assets/latest/${feature}/hotspot?${query.toString()}`, base);
  const answer = await request(url);
  if (answer.status === 404) throw notOffered(url.host, feature, { os, architecture });
  requireOk(answer, url.host);
  const [asset] = await parse(answer, url.host);
  if (asset === undefined) throw notOffered(url.host, feature, { os, architecture });
  const { name, link, checksum, size } = asset.binary.package;
  requireAllowed(new URL(link), url);
  return { feature, release: asset.release_name, name, url: link, sha256: checksum, size };
}

/** Maximum number of redirects of one request. The files are at GitHub, which redirects once. */
const MAX_REDIRECTS = 5;

/**
 * Sends a request, and follows at most 5 redirects, but only to an HTTPS address or to the same host. Takes at most
 * 20 s, unless `init.signal` sets another limit. Does not check the status of the answer.
 *
 * @throws JavaProblem if the host cannot be reached, or redirects to an address that is refused
 */
export async function request(url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  // The hosts ask for a name that tells who sends requests.
  headers.set('User-Agent', 'overworld-master');
  const signal = init.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  let from = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await send(from, { headers, signal, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
    await answer.body?.cancel();
    const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
    if (to === null) throw new JavaProblem(`${from.host} redirects to an address that cannot be read`);
    requireAllowed(to, from);
    from = to;
  }
  throw new JavaProblem(`${url.host} redirects more than ${MAX_REDIRECTS} times`);
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new JavaProblem(`${url.host} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Throws unless an address from an answer uses HTTPS or has the same host as the request. This prevents an answer
 * from making the master send requests to services in its own network, which have no certificates.
 */
function requireAllowed(to: URL, from: URL): void {
  if (to.protocol === 'https:' || to.origin === from.origin) return;
  throw new JavaProblem(`${from.host} names ${to.host}, which is neither the same host nor uses HTTPS`);
}

/**
 * Checks that an answer reports success.
 *
 * @param host name of the host, for the message
 * @throws JavaProblem if the answer reports a failure; the error has `pauseMs` if the host states when the next
 *   request is permitted
 */
export function requireOk({ ok, status, headers }: Response, host: string): void {
  if (ok) return;
  if (status === 429 || (status === 403 && headers.get('x-ratelimit-remaining') === '0')) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    const pauseMs = Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : null;
    const when = pauseMs === null ? '' : ` It can be asked again in ${Math.ceil(seconds)} s`;
    throw new JavaProblem(
      `${host} refuses further requests for now (status ${status}).${when}`.replace(/\.$/, ''),
      {
        pauseMs,
      },
    );
  }
  throw new JavaProblem(`${host} answered with status ${status}`);
}

async function parse(answer: Response, host: string): Promise<z.infer<typeof assetsSchema>> {
  try {
    const text = await readLimited(answer, MAX_ANSWER_BYTES);
    return assetsSchema.parse(JSON.parse(text ?? ''));
  } catch (error) {
    throw new JavaProblem(`the answer of ${host} cannot be read`, { cause: error });
  }
}

function notOffered(host: string, feature: number, { os, architecture }: JavaPlatform): JavaProblem {
  return new JavaProblem(`${host} offers no Java ${feature} for ${os} on ${architecture}`);
}

/** Returns why a request failed, such as `ENOTFOUND`. Errors of fetch contain the reason as their cause. */
function reasonOf(error: unknown): string {
  // `fetch` throws only errors.
  const { name, cause, message } = error as Error & { cause?: { code?: string } };
  if (name === 'TimeoutError') return 'it did not answer in time';
  return cause?.code ?? message;
}
