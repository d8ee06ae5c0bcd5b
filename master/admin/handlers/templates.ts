import { OverworldError } from '#shared/errors/overworld-error.ts';
import { softwareName, softwareTraits } from '#shared/model/software.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { missingForCall } from '#shared/rpc/reach.ts';
import { describeChanges } from '#master/control/feed/config-diff.ts';
import type { Creations } from '#master/control/templates/creations.ts';
import type { Deletions } from '#master/control/templates/deletions.ts';
import { eulaEvent } from '#master/control/templates/eula-event.ts';
import { withSoftware } from '#master/control/templates/with-software.ts';
import type { PlanStatus } from '#master/control/loop/plan-status.ts';
import type { SoftwareLibrary } from '#master/software/software-library.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { RollingRestarts } from '#master/control/services/rolling-restarts.ts';
import type { OverrideCommands } from '#master/control/services/override-commands.ts';
import { revisionOf } from '#master/store/read-document.ts';
import type { HandlersOf } from '../api.ts';
import { hideVariables, showVariables } from '../masked-variables.ts';
import { refuseFurtherSharedFiles } from '../shared-files-limit.ts';
import type { QueryThrottle } from './query-throttle.ts';
import { templateRevisionHandlers } from './template-revisions.ts';

export interface TemplatesHandlersOptions {
  readonly context: Documents &
    Pick<ServiceStores, 'records'> &
    Pick<Feed, 'events'> &
    Pick<Environment, 'now'>;
  readonly planStatus: PlanStatus;
  readonly overrideCommands: OverrideCommands;
  readonly rollingRestarts: RollingRestarts;
  readonly deletions: Deletions;
  readonly creations: Creations;
  readonly library: SoftwareLibrary;
  /** Runs one comparison at a time. */
  readonly comparisons: QueryThrottle;
}

/** Creates the handlers of `templates.*`. */
export function templatesHandlers({
  context,
  planStatus,
  overrideCommands,
  rollingRestarts,
  deletions,
  creations,
  library,
  comparisons,
}: TemplatesHandlersOptions): HandlersOf<'templates'> {
  const { config, events, now } = context;
  const emit = (
    kind: 'template.created' | 'template.changed',
    id: TemplateId,
    { actor, verb, cause }: { readonly actor: string; readonly verb: string; readonly cause: string },
  ): void => {
    const message = `Template ${id} was ${verb}`;
    events.add({ kind, subject: { type: 'template', id }, template: id, actor, message, cause });
  };
  return {
    'templates.list': (_, caller) =>
      [...config.templates.keys()].sort().map((id) => {
        const template = toTemplate(id, context, { planStatus, library });
        // A caller who may read the template's document may also see the secrets in it.
        return missingForCall(caller, 'templates.text', { id }) === null
          ? template
          : withoutVariables(template);
      }),
    'templates.text': ({ id }) => config.templateText(id),
    'templates.create': async ({ id, config: value }, caller) => {
      refuseFurtherSharedFiles('templates.create', caller, { before: [], document: value });
      await creations.create(id, showVariables(id, value, []));
      emit('template.created', id, {
        actor: caller.name,
        verb: 'created',
        cause: `requested by ${caller.name}`,
      });
      return toTemplate(id, context, { planStatus, library });
    },
    'templates.createAll': async ({ templates: list, eula }, caller) => {
      for (const { config: document } of list) {
        refuseFurtherSharedFiles('templates.createAll', caller, { before: [], document });
      }
      const acceptance = { eula, by: caller.name, at: now() };
      const wanted = list.map((one) => ({ ...one, config: showVariables(one.id, one.config, []) }));
      await creations.createAll(
        await Promise.all(wanted.map((one) => withSoftware(one, library, acceptance))),
      );
      for (const { id, software } of list) {
        const cause = `requested by ${caller.name}: with ${softwareName(software)}`;
        emit('template.created', id, { actor: caller.name, verb: 'created', cause });
        if (softwareTraits[software.software].needsEula) events.add(eulaEvent(id, software, caller.name));
      }
      return list.map(({ id }) => toTemplate(id, context, { planStatus, library }));
    },
    'templates.duplicate': async ({ from, to, files }, caller) => {
      await creations.duplicate(from, to, files);
      const cause = `requested by ${caller.name}: ${from} with ${files ? 'its files' : 'no files'}`;
      emit('template.created', to, { actor: caller.name, verb: `made of ${from}`, cause });
      return toTemplate(to, context, { planStatus, library });
    },
    ...templateRevisionHandlers(context, comparisons),
    'templates.update': async ({ id, config: value, basedOn }, caller) => {
      const before = config.template(id).config;
      refuseFurtherSharedFiles('templates.update', caller, {
        before: before.defaultServiceFiles,
        document: value,
      });
      const wanted = showVariables(id, value, before.environment);
      const { config: after } = await config.writeTemplate(id, wanted, basedOn);
      const cause = describeChanges(before, after);
      emit('template.changed', id, { actor: caller.name, verb: 'changed', cause });
      return toTemplate(id, context, { planStatus, library });
    },
    'templates.hold': async ({ id, held }, caller) => {
      await overrideCommands.holdTemplate(id, held, caller.name);
      return {};
    },
    'templates.restart': async ({ id, which }, caller) => ({
      services: await rollingRestarts.roll(id, which, caller.name),
    }),
    'templates.delete': async ({ id, services }, caller) => {
      config.template(id);
      const running = context.records.of(id).map((record) => record.id);
      if (services === 'refuse' && running.length > 0) {
        throw new OverworldError('TEMPLATE_IN_USE', { template: id, services: running });
      }
      if (services === 'drain' && running.length > 0) await deletions.drain(id, caller.name);
      else await deletions.stopAndRemove(id, caller.name);
      return {};
    },
    'templates.cancelDelete': async ({ id }, caller) => {
      await deletions.cancel(id, caller.name);
      return {};
    },
  };
}

/**
 * Returns a template as callers see it who may not see the values of its variables. Its `configRevision` identifies
 * the values that are shown, because the revision of the file would show whether a guess of a hidden value is right.
 * Such callers cannot update the template, and so need no revision of the file.
 */
function withoutVariables(template: Template): Template {
  const config = hideVariables(template.config);
  return { ...template, config, configRevision: revisionOf(JSON.stringify(config)) };
}

function toTemplate(
  id: TemplateId,
  { config, templates, overrides }: Documents,
  { planStatus, library }: Pick<TemplatesHandlersOptions, 'planStatus' | 'library'>,
): Template {
  const state = config.template(id);
  const { revision, changing, jarHash, ...content } = templates.state(id);
  const { files, bytes, jar, needsJava, bringsJava, problem } = content;
  return {
    id,
    config: state.config,
    configRevision: state.revision,
    problems: [...state.problems],
    files: {
      files,
      bytes,
      jar,
      needsJava,
      bringsJava,
      problem,
      revision: changing ? null : revision,
    },
    software: jarHash === null ? null : library.buildOf(jarHash),
    held: overrides.isTemplateHeld(id),
    unmet: planStatus.unmetOf(id),
    leaving: overrides.leavingOf(id),
  };
}
