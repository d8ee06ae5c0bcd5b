import { softwareName, type SoftwareChoice, type SoftwareUpdate } from '#shared/model/software.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { eulaEvent } from '#master/control/templates/eula-event.ts';
import { installSoftware } from '#master/control/templates/install-software.ts';
import type { Tasks } from '#master/files/tasks/tasks.ts';
import { isBundled } from '#master/software/bundled-jars.ts';
import { newerBuild } from '#master/software/newer-build.ts';
import type { SoftwareLibrary } from '#master/software/software-library.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { emitTemplateEvent } from '#master/state/feed/emit-event.ts';
import type { HandlersOf } from '../api.ts';

export interface SoftwareHandlersOptions {
  readonly context: Pick<Documents, 'config' | 'templates'> &
    Pick<Feed, 'events' | 'topics'> &
    Pick<Environment, 'now'>;
  readonly library: SoftwareLibrary;
  /** List of the long tasks of all connections. */
  readonly tasks: Tasks;
  /** Folder that contains the template folders. */
  readonly folder: string;
}

/** Creates the handlers of `software.*`. */
export function softwareHandlers({
  context,
  library,
  tasks,
  folder,
}: SoftwareHandlersOptions): HandlersOf<'software'> {
  const { config, templates, events, topics, now } = context;
  return {
    'software.list': async () =>
      (await library.cached()).map(({ software, version, build, bytes, at, verified }) => ({
        software,
        version,
        build,
        bytes,
        at,
        verified,
      })),
    'software.versions': async ({ software }) =>
      isBundled(software) ? [] : [...(await library.catalogue.versions(software))],
    'software.builds': async ({ software, version }) =>
      isBundled(software) ? [] : [...(await library.catalogue.builds(software, version))],
    'software.download': async ({ task, ...choice }, caller) =>
      tasks.run(caller, { id: task, what: `The download of ${softwareName(choice)}` }, (work) =>
        library.download(choice, work),
      ),
    'software.install': async ({ id, eula, ...choice }, caller) => {
      const acceptance = { eula, by: caller.name, at: now() };
      const onInstalled = (): void => {
        emitTemplateEvent(events, id, {
          kind: 'template.software-changed',
          message: `Template ${id} has ${softwareName(choice)} now`,
          cause: `requested by ${caller.name}`,
          actor: caller.name,
        });
        topics.publish('templates');
      };
      const before = await installSoftware({ id, choice, acceptance }, context, {
        library,
        folder,
        onInstalled,
        onAccepted: () => events.add(eulaEvent(id, choice, caller.name)),
      });
      topics.publish('templates');
      return { before };
    },
    'software.updates': async () => {
      const found = await Promise.all(
        [...config.templates.keys()].map((id) =>
          newerOf(id, templates.state(id).jarHash, library).catch(() => null),
        ),
      );
      return found.filter((update) => update !== null);
    },
  };
}

/**
 * Returns the newest stable build of the same version as a template's jar, if this build is newer than the jar.
 * Otherwise null.
 */
async function newerOf(
  template: TemplateId,
  jarHash: string | null,
  library: SoftwareLibrary,
): Promise<SoftwareUpdate | null> {
  const current: SoftwareChoice | null = jarHash === null ? null : library.buildOf(jarHash);
  if (current === null || isBundled(current.software) || current.version === null) return null;
  const { software, version } = current;
  const newer = newerBuild(current, await library.catalogue.builds(software, version));
  return newer === null ? null : { template, newest: { software, version, build: newer.build } };
}
