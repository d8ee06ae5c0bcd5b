import { wordsOf } from './lines.ts';

/** Options by which HAProxy puts a PROXY protocol header before a connection (configuration manual 5.2). */
const HEADER = /(^|\s)send-proxy[a-z0-9-]*(?=\s|$)/g;
/** Options that say something about that header, and mean nothing without one. */
const ABOUT_HEADER = /(^|\s)(?:check-send-proxy|proxy-v2-options\s+\S+)(?=\s|$)/g;

/** `balancer.entry_addition` (docs/specification.md#balancer) asks for a PROXY protocol header. */
export function sendsProxyHeader(addition: string): boolean {
  return wordsOf(addition).some((word) => word.startsWith('send-proxy'));
}

/** The addition for a proxy that expects no header; all else in it stays. */
export function withoutProxyHeader(addition: string): string {
  return addition.replace(HEADER, '$1').replace(ABOUT_HEADER, '$1').replace(/\s+/g, ' ').trim();
}

const LIMIT = /(^|\s)maxconn\s+(\d+)(?=\s|$)/g;

/** `maxconn` in the addition: the most connections that any proxy gets; null without one, or with 0, which is none. */
export function limitIn(addition: string): number | null {
  const limits = [...addition.matchAll(LIMIT)].map(([, , number]) => Number(number));
  return (limits.at(-1) ?? 0) === 0 ? null : (limits.at(-1) ?? null);
}

/** The addition without its `maxconn`; all else in it stays. */
export function withoutLimit(addition: string): string {
  return addition.replace(LIMIT, '$1').trim();
}

/**
 * The runtime socket takes the text as the file does. Quotes, comments and variables it reads in a way of its own, and `;`
 * ends a command there.
 */
export function isPlain(addition: string): boolean {
  return /^[\w .:/,@=%*+()[\]-]*$/.test(addition);
}
