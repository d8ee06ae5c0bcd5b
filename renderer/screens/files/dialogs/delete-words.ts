import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import { toCountOf } from '../../../view/format/numbers.ts';
import { countWords } from '../browser/entries.ts';
import { isTemplateRoot, parentOf } from '../paths.ts';

interface Words {
  readonly title: string;
  readonly consequence: string;
  readonly action: string;
}

type Entries = readonly Pick<RemoteEntry, 'kind' | 'name' | 'path'>[];

interface Concerned {
  readonly template: string | null;
  /** Number of started services of `template`. */
  readonly running: number;
}

/** Returns title, consequence and button of the question before files are deleted. */
export function deleteWords(entries: Entries, concerned: Concerned): Words {
  const what = entries.length === 1 ? 'It is' : 'They are';
  const parts = [`${what} deleted on the master. This cannot be undone.`, ...effects(entries, concerned)];
  return { title: `Delete ${namesOf(entries)}`, consequence: parts.join(' '), action: 'Delete' };
}

/**
 * Returns title, consequence and button of the question before files are moved from the master to a folder of this
 * computer.
 */
export function moveDownWords(entries: Entries, folder: string, concerned: Concerned): Words {
  const one = entries.length === 1;
  const parts = [
    `${one ? 'It is' : 'They are'} downloaded to ${visibleName(folder)}, compared, and only then deleted on the master.`,
    ...effects(entries, concerned),
  ];
  return { title: `Move ${namesOf(entries)} to this computer`, consequence: parts.join(' '), action: 'Move' };
}

/** Describes the effect of deleting files of a template on its services. */
function effects(entries: Entries, { template, running }: Concerned): string[] {
  const parts: string[] = [];
  if (template !== null && running > 0) {
    parts.push(
      `${toCountOf(running, 'service')} of template ${template} ${running === 1 ? 'runs' : 'run'} now and ${running === 1 ? 'keeps its copy' : 'keep their copies'} until the next start.`,
    );
  }
  if (template !== null && entries.some(isJar)) {
    parts.push(`Without server.jar, no service of ${template} can start.`);
  }
  return parts;
}

/**
 * Returns title, consequence and button of the question before files of this computer are moved to the trash, from
 * which they can be restored.
 */
export function trashWords(entries: readonly Pick<RemoteEntry, 'kind' | 'name'>[]): Words {
  return {
    title: `Move ${namesOf(entries)} to the trash`,
    consequence:
      'These are files on this computer, not on the master. They stay in the trash of your system.',
    action: 'Move to trash',
  };
}

function namesOf(entries: readonly Pick<RemoteEntry, 'kind' | 'name'>[]): string {
  const [first] = entries;
  if (entries.length !== 1 || first === undefined) return countWords(entries);
  return first.kind === 'folder' ? `folder ${first.name} and everything in it` : first.name;
}

function isJar({ name, path }: Pick<RemoteEntry, 'name' | 'path'>): boolean {
  return name === 'server.jar' && isTemplateRoot(parentOf(path));
}
