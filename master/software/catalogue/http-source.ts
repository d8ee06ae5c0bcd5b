import type { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readLimited } from '#shared/node/read-limited.ts';

/** Size limit of a list (bytes). PaperMC's list of builds of one version has some 300 KB. */
const MAX_LIST_BYTES = 16 * 1_048_576;

/** Maximum time to receive a list, and maximum time until the first byte of a download (ms). */
const ANSWER_TIMEOUT_MS = 20_000;

/** Status of a response if the requested range begins at or after the end of the file (RFC 9110, section 15.5.17). */
const RANGE_NOT_SATISFIABLE = 416;

/** Maximum number of redirects of one request. */
const MAX_REDIRECTS = 3;

export interface HttpSourceOptions {
  /** Name of the publisher, for messages. */
  readonly publisher: string;
  /** Address before the paths of the API, without a slash at the end. */
  readonly baseUrl: string;
  /** User agent that is sent with each request (user-agent.ts). */
  readonly userAgent: string;
  /** Additional hosts from which the publisher's jars may be downloaded over HTTPS. */
  readonly jarHosts: readonly string[];
}

/** A response whose body has not been read yet. */
export interface OpenedDownload {
  readonly status: number;
  /** Number of bytes in the body. Null if the server does not state it. */
  readonly length: number | null;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * HTTP client of one publisher. It connects only to the host of the API and, over HTTPS, to the hosts of the
 * publisher's jars. This rule also applies to redirects, so that a response cannot make the master connect to hosts
 * of its own network.
 */
export class HttpSource {
  readonly #options: HttpSourceOptions;
  readonly #origin: string;

  constructor(options: HttpSourceOptions) {
    this.#options = options;
    this.#origin = new URL(options.baseUrl).origin;
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /**
   * Requests a list. Waits at most 20 s.
   *
   * @param path path after the base address, with a slash at the beginning
   * @param what name of the requested list, for messages, such as `Paper 1.21.11`
   * @throws OverworldError SOFTWARE_SOURCE_UNREACHABLE, SOFTWARE_RATE_LIMITED, SOFTWARE_NOT_FOUND (404),
   * SOFTWARE_ANSWER_UNREADABLE, SOFTWARE_ADDRESS_REFUSED
   */
  async list<T>(path: string, schema: z.ZodType<T>, what: string): Promise<T> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await this.#request(`${this.baseUrl}${path}`, { what, signal, headers: {} });
    const text = await this.#read(response);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.#unreadable(what, 'it is not JSON');
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw this.#unreadable(what, `at "${issue?.path.join('.') ?? ''}": ${issue?.message ?? ''}`);
  }

  /**
   * Begins a download. Waits at most 20 s for the head of the response. The body has not been read when the call
   * resolves.
   *
   * @param from number of bytes that already exist. If the server can continue there, the response has status 206 and
   * contains only the rest. Otherwise, or if the file has no more bytes, it has status 200 and contains the whole
   * file
   * @throws as {@link list}
   */
  async download(
    url: string,
    { what, from, signal }: { readonly what: string; readonly from: number; readonly signal: AbortSignal },
  ): Promise<OpenedDownload> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_TIMEOUT_MS);
    try {
      const response = await this.#request(url, {
        what,
        signal: AbortSignal.any([signal, late.signal]),
        headers: from > 0 ? { range: `bytes=${from}-` } : {},
      });
      const length = response.headers.get('content-length');
      if (response.body === null) throw this.#unreadable(what, 'it has no content');
      return {
        status: response.status,
        length: length === null ? null : Number(length),
        body: response.body,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Converts an address in a response to a path after the base address. A mirror has the same paths as the publisher.
   */
  pathOf(address: string): string {
    const { pathname, search } = new URL(address);
    return `${pathname}${search}`;
  }

  /** Returns the error for a connection that failed while a body was being read. */
  interrupted(error: unknown): OverworldError {
    return this.#unreachable(error);
  }

  async #request(
    address: string,
    request: {
      readonly what: string;
      readonly signal: AbortSignal;
      readonly headers: Record<string, string>;
    },
  ): Promise<Response> {
    let url = this.#allowed(address);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      let response: Response;
      try {
        response = await fetch(url, {
          redirect: 'manual',
          signal: request.signal,
          headers: { ...request.headers, 'user-agent': this.#options.userAgent },
        });
      } catch (error) {
        throw this.#unreachable(error);
      }
      if (response.ok) return response;
      await response.body?.cancel();
      if (response.status === RANGE_NOT_SATISFIABLE && 'range' in request.headers) {
        return this.#request(address, { ...request, headers: {} });
      }
      const next = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || next === null) {
        throw this.#refused(response, request.what);
      }
      url = this.#allowed(new URL(next, url).href);
    }
    throw this.#unreadable(request.what, `it was redirected more than ${MAX_REDIRECTS} times`);
  }

  /** @throws OverworldError SOFTWARE_ADDRESS_REFUSED */
  #allowed(address: string): URL {
    const { publisher, jarHosts } = this.#options;
    const url = URL.canParse(address) ? new URL(address) : null;
    const isOwn = url?.origin === this.#origin;
    if (
      url !== null &&
      (isOwn || (url.protocol === 'https:' && url.port === '' && jarHosts.includes(url.hostname)))
    ) {
      return url;
    }
    throw new OverworldError('SOFTWARE_ADDRESS_REFUSED', { publisher, address });
  }

  #refused({ status, headers }: Response, what: string): OverworldError {
    const { publisher } = this.#options;
    if (status === 404) return new OverworldError('SOFTWARE_NOT_FOUND', { publisher, what });
    if (status === 429) {
      const seconds = Number(headers.get('retry-after') ?? '');
      return new OverworldError('SOFTWARE_RATE_LIMITED', {
        publisher,
        seconds: Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : null,
      });
    }
    return new OverworldError('SOFTWARE_SOURCE_UNREACHABLE', {
      publisher,
      host: new URL(this.baseUrl).host,
      why: `it responds with the error ${status}`,
    });
  }

  async #read(response: Response): Promise<string> {
    let text: string | null;
    try {
      text = await readLimited(response, MAX_LIST_BYTES);
    } catch (error) {
      throw this.#unreachable(error);
    }
    if (text === null) throw this.#unreadable('A list', `it is larger than ${MAX_LIST_BYTES} bytes`);
    return text;
  }

  #unreachable(error: unknown): OverworldError {
    const { publisher } = this.#options;
    const { host } = new URL(this.baseUrl);
    const why = connectionProblem(error);
    return new OverworldError('SOFTWARE_SOURCE_UNREACHABLE', { publisher, host, why }, error);
  }

  #unreadable(what: string, why: string): OverworldError {
    const { publisher } = this.#options;
    return new OverworldError('SOFTWARE_ANSWER_UNREADABLE', { publisher, what, why });
  }
}

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is unknown; the master may have no internet access',
  EAI_AGAIN: 'its name cannot be looked up; the master may have no internet access',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was interrupted',
  UND_ERR_SOCKET: 'the connection was interrupted',
  ETIMEDOUT: 'there was no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'there was no answer in time',
  ENETUNREACH: 'the master has no route to it',
  EHOSTUNREACH: 'the master has no route to it',
};

/** Describes an error of fetch as the second half of a sentence. The actual reason is in the `cause` of the error. */
function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'there was no answer in time';
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && sentences[code] !== undefined) return sentences[code];
  if (error.cause !== undefined) return connectionProblem(error.cause);
  return error.message;
}
