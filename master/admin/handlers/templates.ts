import { SECRET_MASK } from '#shared/config/secret.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { missingForCall } from '#shared/rpc/reach.ts';
import { describeChanges } from '#master/control/feed/config-diff.ts';
import type { Deletions } from '#master/control/templates/deletions.ts';
import type { PlanStatus } from '#master/control/loop/plan-status.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { ServiceState } from '#master/state/context/service-state.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { RollingRestarts } from '#master/control/services/rolling-restarts.ts';
import type { OverrideCommands } from '#master/control/services/override-commands.ts';
import type { HandlersOf } from '../api.ts';
import { refuseFurtherSharedFiles } from '../shared-files-limit.ts';
import { templateRevisionHandlers } from './template-revisions.ts';

export interface TemplatesHandlersOptions {
  readonly context: Documents & Pick<ServiceState, 'records'> & Pick<Feed, 'events'>;
  readonly planStatus: PlanStatus;
  readonly overrideCommands: OverrideCommands;
  readonly rollingRestarts: RollingRestarts;
  readonly deletions: Deletions;
}

/** Creates the handlers of `templates.*`. */
export function templatesHandlers({
  context,
  planStatus,
  overrideCommands,
  rollingRestarts,
  deletions,
}: TemplatesHandlersOptions): HandlersOf<'templates'> {
  const { config, templates, events } = context;
  const emit = (
    kind: 'template.created' | 'template.changed',
    id: TemplateId,
    { actor, verb, cause }: { readonly actor: string; readonly verb: string; readonly cause: string },
  ): void => {
    const message = `Template ${id} was ${verb}`;
    events.add({ kind, subject: { type: 'template', id }, template: id, actor, message, cause });
  };
  // Removes the requests for an earlier template of that name, above all for its deletion, so that they do not apply
  // to the new template.
  const forgetEarlier = async (id: TemplateId): Promise<void> => {
    if (!config.templates.has(id)) await context.overrides.forgetTemplate(id);
  };
  const making = new Set<TemplateId>();
  // Runs one creation at a time per name, because copying files takes time. Otherwise a second caller would fail
  // and then delete the folder of the first.
  const make = async <T>(id: TemplateId, work: () => Promise<T>): Promise<T> => {
    if (making.has(id) || config.templates.has(id))
      throw new OverworldError('TEMPLATE_EXISTS', { template: id });
    making.add(id);
    try {
      return await work();
    } finally {
      making.delete(id);
    }
  };
  return {
    'templates.list': (_, caller) =>
      [...config.templates.keys()].sort().map((id) => {
        const template = toTemplate(id, context, planStatus);
        // Who may read the template's document sees its secrets.
        return missingForCall(caller, 'templates.text', { id }) === null
          ? template
          : withoutSecrets(template);
      }),
    'templates.text': ({ id }) => config.templateText(id),
    'templates.create': async ({ id, config: value }, caller) => {
      refuseFurtherSharedFiles('templates.create', caller, { before: [], document: value });
      await make(id, async () => {
        await forgetEarlier(id);
        await config.createTemplate(id, value);
        try {
          await templates.create(id);
        } catch (error) {
          // Without a folder no files can be uploaded, so the document is removed again.
          await config.removeTemplate(id);
          throw error;
        }
      });
      emit('template.created', id, {
        actor: caller.name,
        verb: 'created',
        cause: `requested by ${caller.name}`,
      });
      return toTemplate(id, context, planStatus);
    },
    'templates.duplicate': async ({ from, to, files }, caller) => {
      const values = config.template(from).config;
      await make(to, async () => {
        // Files are copied before the document is written, because services must not start while their files are
        // being copied.
        if (files) await templates.duplicate(from, to);
        try {
          await forgetEarlier(to);
          await config.createTemplate(to, values);
        } catch (error) {
          if (files) await templates.remove(to);
          throw error;
        }
        await templates.create(to);
      });
      const cause = `requested by ${caller.name}: ${from} with ${files ? 'its files' : 'no files'}`;
      emit('template.created', to, { actor: caller.name, verb: `made of ${from}`, cause });
      return toTemplate(to, context, planStatus);
    },
    ...templateRevisionHandlers(context),
    'templates.update': async ({ id, config: value, basedOn }, caller) => {
      const before = config.template(id).config;
      refuseFurtherSharedFiles('templates.update', caller, {
        before: before.defaultServiceFiles,
        document: value,
      });
      const { config: after } = await config.writeTemplate(id, value, basedOn);
      const cause = describeChanges(before, after);
      emit('template.changed', id, { actor: caller.name, verb: 'changed', cause });
      return toTemplate(id, context, planStatus);
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

/** Returns a template without the values of its variables, which may be passwords. */
function withoutSecrets(template: Template): Template {
  const { config } = template;
  const environment = config.environment.map(({ name }) => ({ name, value: SECRET_MASK }));
  return { ...template, config: { ...config, environment } };
}

function toTemplate(
  id: TemplateId,
  { config, templates, overrides }: Documents,
  planStatus: PlanStatus,
): Template {
  const state = config.template(id);
  const { revision, files, bytes, jar, problem, changing } = templates.state(id);
  return {
    id,
    config: state.config,
    configRevision: state.revision,
    problems: [...state.problems],
    files: { revision: changing ? null : revision, files, bytes, jar, problem },
    held: overrides.isTemplateHeld(id),
    unmet: planStatus.unmetOf(id),
    leaving: overrides.leavingOf(id),
  };
}
