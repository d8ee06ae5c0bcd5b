import { join } from 'node:path';
import type { TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readSmallFile } from '#shared/node/small-file.ts';
import { softwareName, softwareTraits, type SoftwareChoice } from '#shared/model/software.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { SoftwareLibrary } from '#master/software/software-library.ts';
import type { FolderState, TemplateFolders } from '#master/templates/template-files.ts';
import { EULA_FILE } from '#master/software/eula.ts';
import { filesOf, requireType, type Acceptance } from './with-software.ts';

/** Maximum time to wait until the new files are a revision (ms). The first reading of a large folder takes long. */
const SETTLE_MS = 60_000;

/** Maximum size of an `eula.txt` that is read (bytes). */
const MAX_EULA_BYTES = 64 * 1024;

/** The parts of the master that an installation uses. */
export interface InstallContext {
  readonly config: { template(id: TemplateId): { readonly config: Pick<TemplateConfig, 'isProxy'> } };
  readonly templates: Pick<TemplateFolders, 'state' | 'put' | 'onChange'>;
}

/** Called as soon as files are written, because the later wait for the revision may fail. */
export interface InstallRecorder {
  /** Called when an acceptance of the EULA was written. */
  readonly onAccepted: () => void;
  /** Called when all files were written. */
  readonly onInstalled: () => void;
}

/**
 * Copies a build into a template's folder as its `server.jar`. Writes `eula.txt` if the software needs it and the
 * EULA is not accepted yet. Then waits until the files are stored as a revision from which services can start.
 *
 * @param folder path of the folder with the folders of all templates
 * @param settleMs maximum time to wait for the revision (ms); 60 s by default
 * @returns the template's previous revision; null if there was none
 * @throws OverworldError TEMPLATE_NOT_FOUND, SOFTWARE_TYPE_DIFFERS, EULA_REQUIRED, SOFTWARE_NOT_DOWNLOADED,
 * BUNDLED_JAR_MISSING, DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE (also after `settleMs`, although the files are
 * written)
 */
export async function installSoftware(
  {
    id,
    choice,
    acceptance,
  }: {
    readonly id: TemplateId;
    readonly choice: SoftwareChoice;
    readonly acceptance: Acceptance;
  },
  { config, templates }: InstallContext,
  {
    library,
    folder,
    onAccepted,
    onInstalled,
    settleMs = SETTLE_MS,
  }: InstallRecorder & {
    readonly library: Pick<SoftwareLibrary, 'jarPath'>;
    readonly folder: string;
    readonly settleMs?: number;
  },
): Promise<string | null> {
  requireType(id, config.template(id).config, choice);
  const eulaPath = join(folder, id, EULA_FILE);
  const needsEula = softwareTraits[choice.software].needsEula && !(await hasAccepted(eulaPath));
  if (needsEula && !acceptance.eula) {
    throw new OverworldError('EULA_REQUIRED', { software: softwareName(choice) });
  }
  const files = await filesOf(choice, library, needsEula ? acceptance : null);
  let before: string | null;
  try {
    before = await templates.put(id, files);
  } finally {
    // The files are written one after the other, so the acceptance may be on disk even if a later file failed.
    if (needsEula && (await hasAccepted(eulaPath))) onAccepted();
  }
  onInstalled();
  await settled(templates, id, settleMs);
  return before;
}

/**
 * Waits until the folder's content is a revision, or cannot become one. @throws OverworldError TEMPLATE_UNREADABLE
 */
function settled(templates: InstallContext['templates'], id: TemplateId, settleMs: number): Promise<void> {
  const isSettled = ({ changing, problem, revision }: FolderState): boolean =>
    !changing && (revision !== null || problem !== null);
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
    };
    const stop = templates.onChange((changed) => {
      if (changed !== id || !isSettled(templates.state(id))) return;
      end();
      resolve();
    });
    const timer = setTimeout(() => {
      end();
      const why = 'its folder is still being written; services start from the new file afterwards';
      reject(new OverworldError('TEMPLATE_UNREADABLE', { template: id, why }));
    }, settleMs);
    if (isSettled(templates.state(id))) {
      end();
      resolve();
    }
  });
}

/**
 * Reports whether an `eula.txt` accepts the EULA. Reads the file as Minecraft's server does. Does not follow links.
 * Returns false for a file of more than 64 KB.
 */
async function hasAccepted(path: string): Promise<boolean> {
  const text = (await readSmallFile(path, MAX_EULA_BYTES))?.text ?? '';
  return text.split(/\r\n?|\n/).some((line) => /^eula\s{0,9}[=:]\s{0,9}true$/i.test(line.trim()));
}
