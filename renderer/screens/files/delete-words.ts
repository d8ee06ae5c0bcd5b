import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { toCountOf } from '../../view/numbers.ts';
import { countWords } from './entries.ts';
import { isTemplateRoot, parentOf } from './paths.ts';

/** Title, consequence and button of the question before files are deleted. */
export function deleteWords(
  entries: readonly Pick<RemoteEntry, 'kind' | 'name' | 'path'>[],
  { template, running }: { readonly template: string | null; readonly running: number },
): { readonly title: string; readonly consequence: string; readonly action: string } {
  const [first] = entries;
  const what =
    entries.length === 1 && first !== undefined
      ? first.kind === 'folder'
        ? `folder ${first.name} and all that is in it`
        : first.name
      : countWords(entries);
  const parts = ['They are deleted on the master. This cannot be undone.'];
  if (entries.length === 1) parts[0] = 'It is deleted on the master. This cannot be undone.';
  if (template !== null && running > 0) {
    parts.push(
      `${toCountOf(running, 'service')} of template ${template} ${running === 1 ? 'runs' : 'run'} now and ${running === 1 ? 'keeps its copy' : 'keep their copies'} until the next start.`,
    );
  }
  if (template !== null && entries.some(isJar)) {
    parts.push(`Without server.jar, no service of ${template} can start.`);
  }
  return { title: `Delete ${what}`, consequence: parts.join(' '), action: 'Delete' };
}

function isJar({ name, path }: Pick<RemoteEntry, 'name' | 'path'>): boolean {
  return name === 'server.jar' && isTemplateRoot(parentOf(path));
}
