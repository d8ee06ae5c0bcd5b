import { extname, join, relative, resolve, sep } from 'node:path';

/** Origin of the window's page. */
export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://overworld';

/**
 * What the page may do (docs/adr/0002): its own scripts, styles, fonts and pictures, nothing from elsewhere, no frames,
 * no forms. Style attributes are allowed because components position themselves with them; they cannot run code.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** A file to be served, with its content type. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
}

/**
 * The file that a URL of the page means, or null: another host, a path out of the folder, or a kind of file that
 * the build does not make.
 *
 * @param root folder of the built page, absolute
 */
export function findAsset(root: string, url: string): Asset | null {
  let path: string;
  try {
    const { protocol, host, pathname } = new URL(url);
    if (`${protocol}//${host}` !== APP_ORIGIN) return null;
    path = decodeURIComponent(pathname);
  } catch {
    // Not a URL, or its escapes are no UTF-8: nothing that our page asks for.
    return null;
  }
  if (path.includes('\0') || path.includes('\\')) return null;
  const file = resolve(root, join('.', path === '/' ? 'index.html' : path));
  const inside = relative(root, file);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return null;
  const contentType = contentTypes[extname(file)];
  return contentType === undefined ? null : { path: file, contentType };
}
