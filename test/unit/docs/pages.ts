import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders at the project's root whose content is not in git. */
const outputs = ['node_modules', 'dist', 'release', 'screenshots', 'coverage', 'test-results'];

/** Returns the paths of all files of the project, except those below hidden folders. */
export function projectFiles(): string[] {
  return readdirSync(root)
    .filter((entry) => !outputs.includes(entry) && !entry.startsWith('.'))
    .flatMap(filesBelow);
}

function filesBelow(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const entries = readdirSync(join(root, path)).filter((entry) => entry !== 'node_modules');
  return entries.flatMap((entry) => filesBelow(join(path, entry)));
}

/** Reads a page. @param page path below the project's root */
export function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Returns the text of a page without code blocks, because code contains no links or headings. */
export function prose(text: string): string {
  return text
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

export interface Link {
  /** Path below the project's root. */
  readonly path: string;
  /** Anchor without `#`. Empty if the link has no anchor. */
  readonly anchor: string;
}

/** Returns the links and pictures of a page whose targets are in the project, in the order of the page. */
export function links(page: string): Link[] {
  const targets = [...prose(read(page)).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

/** Returns the anchors of a page's headings, as GitHub generates them. */
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

/** Returns the blocks of shell commands below a heading of a page, up to the next heading of any level. */
export function shellBlocks(page: string, heading: string): string[] {
  const blocks: string[] = [];
  let current = '';
  let block: { readonly indent: string; lines: string[] } | null = null;
  for (const line of read(page).split('\n')) {
    const fence = /^( *)```(sh)?$/.exec(line);
    if (fence !== null && block === null) block = { indent: fence[1] ?? '', lines: [] };
    else if (fence !== null && block !== null) {
      if (current === heading) blocks.push(block.lines.join('\n'));
      block = null;
    } else if (block !== null) block.lines.push(line.slice(block.indent.length));
    else current = /^#+ (.*)$/.exec(line)?.[1] ?? current;
  }
  return blocks;
}
