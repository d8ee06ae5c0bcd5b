import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { toCountOf } from '../../../view/numbers.ts';
import { countWords } from '../entries.ts';
import { isTemplateRoot, parentOf } from '../paths.ts';

/** Title, consequence and button of the question before files are deleted. */
export function deleteWords(
  entries: readonly Pick<RemoteEntry, 'kind' | 'name' | 'path'>[],
  { template, running }: { readonly template: string | null; readonly running: number },
): { readonly title: string; readonly consequence: string; readonly action: string } {
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
  return { title: `Delete ${namesOf(entries)}`, consequence: parts.join(' '), action: 'Delete' };
}

/** The same for files of this computer, which can be got back. */
export function trashWords(entries: readonly Pick<RemoteEntry, 'kind' | 'name'>[]): {
  readonly title: string;
  readonly consequence: string;
  readonly action: string;
} {
  return {
    title: `Put ${namesOf(entries)} into the trash`,
    consequence:
      'This is about files of this computer, not of the master. The trash of your system keeps them.',
    action: 'Put into the trash',
  };
}

function namesOf(entries: readonly Pick<RemoteEntry, 'kind' | 'name'>[]): string {
  const [first] = entries;
  if (entries.length !== 1 || first === undefined) return countWords(entries);
  return first.kind === 'folder' ? `folder ${first.name} and all that is in it` : first.name;
}

function isJar({ name, path }: Pick<RemoteEntry, 'name' | 'path'>): boolean {
  return name === 'server.jar' && isTemplateRoot(parentOf(path));
}
