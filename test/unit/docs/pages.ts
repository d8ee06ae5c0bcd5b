import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Reads a page. @param page path below the project's root */
export function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Returns the text of a page without code, in which nothing is a link or a heading. */
export function prose(text: string): string {
  return text
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

export interface Link {
  /** Path below the project's root. */
  readonly path: string;
  /** Without `#`; empty if the link names a page as a whole. */
  readonly anchor: string;
}

/** Returns the links and pictures of a page that stay within the project, in their order. */
export function links(page: string): Link[] {
  const targets = [...prose(read(page)).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

/** Returns the anchors of a page's headings, as GitHub makes them. */
export function anchors(page: string): Set<string> {
  const found = new Set<string>();
  const text = read(page).replaceAll(/^ *```.*?^ *```$/gms, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let copy = 1; found.has(unique); copy += 1) unique = `${anchor}-${String(copy)}`;
    found.add(unique);
  }
  return found;
}
