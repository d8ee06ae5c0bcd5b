import hcloud, { type Client } from 'hcloud-js';
import { z } from 'zod';
import type { RateBudget } from './rate-budget.ts';

/** Size limit of an answer (bytes), larger than any list of 50 entries. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;

interface ClientOptions {
  readonly token: string;
  readonly baseUrl: string | undefined;
  readonly timeoutMs: number;
  readonly budget: RateBudget;
  /** Signal that aborts all requests in progress. */
  readonly signal: AbortSignal;
}

/**
 * Creates an hcloud-js client that works with the API of November 2026 and axios 1 (docs/adr/0018):
 *
 * - Lists in a query become repeated parameters.
 * - Every answer of 400 and above becomes an error with the HTTP status.
 * - The rate budget also counts failed requests.
 */
export function openClient({ token, baseUrl, timeoutMs, budget, signal }: ClientOptions): Client {
  const client = new hcloud.Client({
    token,
    timeout: timeoutMs,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  });
  const { defaults } = client.axios;
  defaults.paramsSerializer = { indexes: null };
  defaults.maxContentLength = MAX_ANSWER_BYTES;
  // A redirect would send the token to another host.
  defaults.maxRedirects = 0;
  defaults.signal = signal;
  defaults.transformResponse = (body, headers, status = 0) => {
    budget.note((name) => headers.get(name));
    const data = parseJson(body);
    if (status < 400) return data;
    return { error: toError(data, { status, correlation: headers.get('x-correlation-id') }) };
  };
  return client;
}

/**
 * Parses a JSON body. Returns undefined for an empty or unreadable body, which the schema of the answer then
 * refuses.
 */
function parseJson(body: unknown): unknown {
  if (typeof body !== 'string' || body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const errorBody = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown() }),
});

/**
 * Details of an error with additional facts. hcloud-js keeps only code, message and details of an error, so the
 * facts are added to the details.
 */
export const wrappedDetails = z.object({
  status: z.number(),
  correlation: z.string().nullable(),
});

function toError(data: unknown, facts: { status: number; correlation: unknown }): object {
  const { status } = facts;
  const parsed = errorBody.safeParse(data);
  const correlation = typeof facts.correlation === 'string' ? facts.correlation : null;
  return {
    code: parsed.success ? parsed.data.error.code : `http_${status}`,
    message: parsed.success ? parsed.data.error.message : `HTTP ${status} without a readable error`,
    details: { status, correlation } satisfies z.infer<typeof wrappedDetails>,
  };
}
