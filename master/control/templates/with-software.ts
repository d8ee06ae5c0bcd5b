import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { softwareName, softwareTraits, type SoftwareChoice } from '#shared/model/software.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { EULA_FILE, eulaText } from '#master/software/eula.ts';
import type { SoftwareLibrary } from '#master/software/software-library.ts';
import { checkedDocument, documentTitle } from '#master/store/document-store.ts';
import type { NewFile } from '#master/templates/template-files.ts';
import type { NewTemplate } from './creations.ts';

/** A template to create with server software. */
export interface NewTemplateWithSoftware {
  readonly id: TemplateId;
  /** Its configuration, which is not checked yet. */
  readonly config?: unknown;
  readonly software: SoftwareChoice;
}

/** The person who creates the templates, the time, and whether that person accepts Mojang's EULA. */
export interface Acceptance {
  readonly eula: boolean;
  readonly by: string;
  /** Time of the request (ms since epoch). */
  readonly at: number;
}

/**
 * Returns a template with the files of its software: its jar as `server.jar`, and `eula.txt` where the EULA applies.
 * Writes nothing.
 *
 * @throws OverworldError CONFIG_FAULTY, SOFTWARE_TYPE_DIFFERS, EULA_REQUIRED, SOFTWARE_NOT_DOWNLOADED,
 *   BUNDLED_JAR_MISSING
 */
export async function withSoftware(
  { id, config: value, software: choice }: NewTemplateWithSoftware,
  library: Pick<SoftwareLibrary, 'jarPath'>,
  acceptance: Acceptance,
): Promise<NewTemplate> {
  const config = checkedDocument(documentTitle(id), templateConfigSchema, value);
  requireType(id, config, choice);
  const { needsEula } = softwareTraits[choice.software];
  if (needsEula && !acceptance.eula) {
    throw new OverworldError('EULA_REQUIRED', { software: softwareName(choice) });
  }
  return { id, config, files: await filesOf(choice, library, needsEula ? acceptance : null) };
}

/**
 * Checks that software fits a template: a proxy needs proxy software, any other template needs server software.
 *
 * @throws OverworldError SOFTWARE_TYPE_DIFFERS
 */
export function requireType(
  template: TemplateId,
  config: Pick<TemplateConfig, 'isProxy'>,
  choice: SoftwareChoice,
): void {
  const { isProxy } = softwareTraits[choice.software];
  if (config.isProxy === isProxy) return;
  throw new OverworldError('SOFTWARE_TYPE_DIFFERS', { template, software: softwareName(choice), isProxy });
}

/**
 * Returns the files of software for a template's folder.
 *
 * @param accepted acceptance of the EULA to write; null to write none
 * @throws OverworldError SOFTWARE_NOT_DOWNLOADED, BUNDLED_JAR_MISSING
 */
export async function filesOf(
  choice: SoftwareChoice,
  library: Pick<SoftwareLibrary, 'jarPath'>,
  accepted: Acceptance | null,
): Promise<readonly NewFile[]> {
  const jar = { name: 'server.jar', copyOf: await library.jarPath(choice) };
  return accepted === null ? [jar] : [jar, { name: EULA_FILE, text: eulaText(accepted) }];
}
