import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from './api-error.ts';
import type { FaultKind, Faults } from './faults.ts';
import type { RateBucket } from './rate-bucket.ts';

/** Request in the form in which a handler receives it. */
export interface ApiRequest {
  readonly method: string;
  /** Path below `/v1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  /** Body of the answer; absent with status 204. */
  readonly body?: object;
}

export type Handler = (request: ApiRequest) => ApiAnswer;

/** Record of a request and its answer. */
export interface RequestNote {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  /** Status of the answer. Null if the connection was closed without an answer. */
  readonly status: number | null;
}

export interface HttpCoreOptions {
  readonly host: string;
  /** Port to listen on; 0 means a free port. */
  readonly port: number;
  /** Returns the tokens that are accepted now. With `write: false`, changes are refused with `token_readonly`. */
  readonly tokens: () => ReadonlyMap<string, { readonly write: boolean }>;
  readonly handler: Handler;
  readonly bucket: RateBucket;
  readonly faults: Faults;
  readonly onRequest: (note: RequestNote) => void;
}

export interface HttpCore {
  readonly port: number;
  close(): Promise<void>;
}

const PREFIX = '/v1';
const MAX_BODY_BYTES = 1_048_576;

/**
 * Serves the common parts of the API over HTTP: bearer token, rate limit with its headers, JSON, errors,
 * correlation IDs and faults.
 */
export async function serveHttp(options: HttpCoreOptions): Promise<HttpCore> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      // The cause is a bug in the fake or an error in a hook. The client must get this error.
      const message = error instanceof Error ? error.message : String(error);
      response.writeHead(500, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'server_error', message, details: null } }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpCoreOptions,
): Promise<void> {
  const { method = 'GET' } = request;
  const url = new URL(request.url ?? '/', 'http://fake');
  const path = url.pathname.replace(PREFIX, '');
  const text = await readBody(request);
  const fault = options.faults.take(method, path, url.search);
  const note = (status: number | null): void =>
    options.onRequest({ method, path, query: url.search, body: tolerantJson(text), status });
  if (fault?.kind === 'cut') {
    note(null);
    request.socket.destroy();
    return;
  }
  const wasTaken = options.bucket.take();
  const result = isCarriedOut(fault)
    ? handle({ request, url, path, text, wasTaken }, options)
    : { status: 0 };
  if (fault?.kind === 'answer lost') {
    note(null);
    request.socket.destroy();
    return;
  }
  if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  const { status, type, body } = spoil(result, fault);
  note(status);
  response.writeHead(status, {
    ...options.bucket.headers(),
    'X-Correlation-Id': randomUUID(),
    ...(body === '' ? {} : { 'Content-Type': type }),
  });
  response.end(body);
}

function isCarriedOut(fault: FaultKind | undefined): boolean {
  switch (fault?.kind) {
    case 'refuse':
      return false;
    case 'bad gateway':
    case 'empty 500':
      return fault.after === true;
    default:
      return true;
  }
}

interface Spoiled {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function spoil(result: ApiAnswer, fault: FaultKind | undefined): Spoiled {
  switch (fault?.kind) {
    case 'bad gateway':
      return { status: 502, type: 'text/html', body: '<html><h1>502 Bad Gateway</h1></html>' };
    case 'empty 500':
      return { status: 500, type: 'text/plain', body: '' };
    case 'unreadable':
      return { status: 200, type: 'application/json', body: '{"server": {"id": 1' };
    case 'refuse': {
      const { status, code, message = 'refused', details = null } = fault;
      return json({ status, body: { error: { code, message, details } } });
    }
    default:
      return json(result);
  }
}

function json({ status, body }: ApiAnswer): Spoiled {
  return { status, type: 'application/json', body: body === undefined ? '' : JSON.stringify(body) };
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly path: string;
  readonly text: string;
  readonly wasTaken: boolean;
}

function handle({ request, url, path, text, wasTaken }: Incoming, options: HttpCoreOptions): ApiAnswer {
  const { method = 'GET', headers } = request;
  try {
    if (!url.pathname.startsWith(`${PREFIX}/`))
      throw new ApiError(404, { code: 'not_found', message: 'no such path' });
    checkToken(headers.authorization, { method, tokens: options.tokens() });
    if (!wasTaken)
      throw new ApiError(429, { code: 'rate_limit_exceeded', message: 'limit of requests per hour reached' });
    return options.handler({ method, path, query: url.searchParams, body: parseJson(text) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, details } = error;
    return { status, body: { error: { code, message, details } } };
  }
}

function checkToken(
  header: string | undefined,
  { method, tokens }: { method: string; tokens: ReadonlyMap<string, { readonly write: boolean }> },
): void {
  const token = tokens.get(header?.replace(/^Bearer /, '') ?? '');
  if (token === undefined) {
    throw new ApiError(401, { code: 'unauthorized', message: 'unable to authenticate' });
  }
  if (!token.write && method !== 'GET') {
    throw new ApiError(403, { code: 'token_readonly', message: 'the token is read-only' });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, { code: 'json_error', message: 'the request is no valid JSON' });
  }
}

function tolerantJson(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
