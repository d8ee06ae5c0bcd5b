import { wordsOf } from './lines.ts';

/** Matches options that make HAProxy send a PROXY protocol header (configuration manual 5.2). */
const HEADER = /(^|\s)send-proxy[a-z0-9-]*(?=\s|$)/g;
/** Matches options that have an effect only together with the PROXY protocol header. */
const ABOUT_HEADER = /(^|\s)(?:check-send-proxy|proxy-v2-options\s+\S+)(?=\s|$)/g;

/**
 * Reports whether `balancer.entry_addition` (docs/specification.md#balancer) contains an option to send a PROXY
 * protocol header.
 *
 * Example: `send-proxy-v2 maxconn 500` → true.
 */
export function sendsProxyHeader(addition: string): boolean {
  return wordsOf(addition).some((word) => word.startsWith('send-proxy'));
}

/**
 * Returns the addition without the options that concern the PROXY protocol header. Used for a proxy that does not
 * expect the header.
 *
 * Example: `send-proxy maxconn 500` → `maxconn 500`.
 */
export function withoutProxyHeader(addition: string): string {
  return addition.replace(HEADER, '$1').replace(ABOUT_HEADER, '$1').replace(/\s+/g, ' ').trim();
}

/**
 * Returns the addition for a proxy that was started for the PROXY protocol: it rejects connections without the header.
 * Adds `send-proxy` if the addition contains no option to send the header.
 *
 * Example: `maxconn 500` → `send-proxy maxconn 500`.
 */
export function withProxyHeader(addition: string): string {
  return sendsProxyHeader(addition) ? addition : `send-proxy ${addition}`;
}

const LIMIT = /(^|\s)maxconn\s+(\d+)(?=\s|$)/g;

/**
 * Returns the value of `maxconn` in the addition, which is the maximum number of connections to each proxy. Null if
 * `maxconn` is missing, or is 0, which means no limit.
 *
 * Example: `send-proxy maxconn 500` → 500.
 */
export function limitIn(addition: string): number | null {
  const limits = [...addition.matchAll(LIMIT)].map(([, , number]) => Number(number));
  return (limits.at(-1) ?? 0) === 0 ? null : (limits.at(-1) ?? null);
}

/**
 * Returns the addition without its `maxconn` option.
 *
 * Example: `send-proxy maxconn 500` → `send-proxy`.
 */
export function withoutLimit(addition: string): string {
  return addition.replace(LIMIT, '$1').trim();
}

/**
 * Reports whether an addition has the same meaning on the runtime socket as in the configuration file. Quotes,
 * comments and variables have a different meaning on the socket, and `;` ends a command there.
 *
 * Example: `send-proxy maxconn 500` → true; `source "10.0.0.1"` → false.
 */
export function isPlain(addition: string): boolean {
  return /^[\w .:/,@=%*+()[\]-]*$/.test(addition);
}
