import { Command } from 'commander';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { softwareName, type SoftwareChoice, type SoftwareId } from '#shared/model/software.ts';
import { withMaster, type MasterClient } from '../../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../context.ts';
import { printable } from '../../table.ts';
import { download, installedWords } from './install.ts';

/** Defines `overworld-master software update`. */
export function softwareUpdateCommand(context: CliContext): Command {
  return new Command('update')
    .description('list templates for whose software there is a newer build; with a template, update it')
    .argument('[template]', 'id of the template (the name of its folder)')
    .addOption(dataOption())
    .addOption(jsonOption('array of updates; with a template, the build and the revision before'))
    .action(async (id: string | undefined, { data, json }: CommonOptions) => {
      const print = (value: unknown, words: string): void => {
        if (json === true) printJson(context, value);
        else context.out(printable(words));
      };
      await withMaster(data, async (master) => {
        if (id !== undefined) {
          const installed = await update(master, id);
          print(
            installed,
            installed === null
              ? `There is no newer build for template ${id}.`
              : installedWords(id, installed),
          );
          return;
        }
        for (const { templates, error } of await askPublishers(master, await softwareInUse(master))) {
          context.fail();
          context.err(printable(`Not known for ${templates.join(', ')}: ${error.message}`));
        }
        const updates = await master.call('software.updates', {});
        print(updates, updateWords(updates));
      });
    });
}

/** Updates one template. @returns the installed build and the revision before; null if there is no newer build */
async function update(
  master: MasterClient,
  id: string,
): Promise<(SoftwareChoice & { readonly before: string | null }) | null> {
  const own = (await softwareInUse(master)).filter(({ templates }) => templates.includes(id));
  const [failure] = await askPublishers(master, own);
  if (failure !== undefined) throw failure.error;
  const found = (await master.call('software.updates', {})).find(({ template }) => template === id);
  if (found === undefined) {
    const templates = await master.call('templates.list', {});
    if (templates.some((template) => template.id === id)) return null;
    throw new OverworldError('TEMPLATE_NOT_FOUND', { template: id });
  }
  const choice = await download(master, found.newest);
  // The template already has software that needs the EULA, and therefore an acceptance of the EULA.
  const { before } = await master.call('software.install', { id, ...choice, eula: false });
  return { ...choice, before };
}

/** A version of software with a publisher, and the templates that have it. */
interface UsedSoftware {
  readonly software: SoftwareId;
  readonly version: string;
  readonly templates: string[];
}

async function softwareInUse(master: MasterClient): Promise<UsedSoftware[]> {
  const used = new Map<string, UsedSoftware>();
  for (const { id, software: choice } of await master.call('templates.list', {})) {
    const version = choice?.version ?? null;
    if (choice === null || version === null) continue;
    const { software } = choice;
    const one = used.get(`${software} ${version}`) ?? { software, version, templates: [] };
    used.set(`${software} ${version}`, one);
    one.templates.push(id);
  }
  return [...used.values()];
}

/**
 * Asks the publishers for the builds of software. `software.updates` does the same, but leaves out templates whose
 * publisher does not answer.
 *
 * @returns templates whose publisher does not answer, with its error
 */
async function askPublishers(
  master: MasterClient,
  used: readonly UsedSoftware[],
): Promise<{ readonly templates: readonly string[]; readonly error: OverworldError }[]> {
  const asked = await Promise.all(
    used.map(({ software, version, templates }) =>
      master.call('software.builds', { software, version }).then(
        () => [],
        (error: unknown) => [{ templates, error: toOverworldError(error) }],
      ),
    ),
  );
  return asked.flat();
}

function updateWords(
  updates: readonly { readonly template: string; readonly newest: SoftwareChoice }[],
): string {
  if (updates.length === 0) return 'There are no newer builds.';
  return updates
    .map(({ template, newest }) => `${template}: ${softwareName(newest)} is available`)
    .join('\n');
}
