import { extname, join, relative, resolve, sep } from 'node:path';

/** Scheme of the window's page. */
export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://overworld';

/**
 * Content security policy of the page (docs/adr/0002). It allows the page's own scripts, styles, fonts and images. It
 * allows nothing from elsewhere, no frames and no forms. Style attributes are allowed because components use them for
 * positioning; they cannot run code.
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

/** A file to serve: its absolute path and its content type. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
}

/**
 * Returns the file for a URL of the page. Null for another host, a path outside of the folder, or a file type that
 * the build does not produce.
 *
 * @param root absolute path of the built page
 */
export function findAsset(root: string, url: string): Asset | null {
  let path: string;
  try {
    const { protocol, host, pathname } = new URL(url);
    if (`${protocol}//${host}` !== APP_ORIGIN) return null;
    path = decodeURIComponent(pathname);
  } catch {
    // The text is not a URL, or its escapes are not UTF-8. The app's page requests no such URL.
    return null;
  }
  if (path.includes('\0') || path.includes('\\')) return null;
  const file = resolve(root, join('.', path === '/' ? 'index.html' : path));
  const inside = relative(root, file);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return null;
  const contentType = contentTypes[extname(file)];
  return contentType === undefined ? null : { path: file, contentType };
}
