import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { describeChanges } from '#master/control/config-diff.ts';
import type { Orders } from '#master/control/orders.ts';
import type { Outlook } from '#master/control/outlook.ts';
import type { Parts } from '#master/control/parts.ts';
import type { Wishes } from '#master/control/wishes.ts';
import type { HandlersOf } from '../api.ts';

export interface TemplateDesk {
  readonly parts: Parts;
  readonly outlook: Outlook;
  readonly orders: Orders;
  readonly wishes: Wishes;
}

/** `templates.*` of the admin API. */
export function templatesHandlers({ parts, outlook, orders, wishes }: TemplateDesk): HandlersOf<'templates'> {
  const { config, templates, events } = parts;
  const tell = (
    kind: 'template.created' | 'template.changed' | 'template.deleted',
    id: TemplateId,
    { actor, verb, cause }: { readonly actor: string; readonly verb: string; readonly cause: string },
  ): void => {
    const message = `Template ${id} was ${verb}`;
    events.add({ kind, subject: { type: 'template', id }, template: id, actor, message, cause });
  };
  return {
    'templates.list': () => [...config.templates.keys()].sort().map((id) => toTemplate(id, parts, outlook)),
    'templates.create': async ({ id, config: value }, caller) => {
      await config.createTemplate(id, value);
      try {
        await templates.create(id);
      } catch (error) {
        // Without a folder there is nothing to upload to: as if it had never been asked for.
        await config.removeTemplate(id);
        throw error;
      }
      tell('template.created', id, {
        actor: caller.name,
        verb: 'created',
        cause: `asked for by ${caller.name}`,
      });
      return toTemplate(id, parts, outlook);
    },
    'templates.update': async ({ id, config: value, basedOn }, caller) => {
      const before = config.template(id).config;
      const { config: after } = await config.writeTemplate(id, value, basedOn);
      const cause = describeChanges(before, after);
      tell('template.changed', id, { actor: caller.name, verb: 'changed', cause });
      return toTemplate(id, parts, outlook);
    },
    'templates.hold': async ({ id, held }, caller) => {
      await wishes.holdTemplate(id, held, caller.name);
      return {};
    },
    'templates.delete': async ({ id, services }, caller) => {
      config.template(id);
      const running = parts.records.of(id).map((record) => record.id);
      if (services === 'refuse' && running.length > 0) {
        throw new OverworldError('TEMPLATE_IN_USE', { template: id, services: running });
      }
      const cause = `template ${id} was deleted by ${caller.name}`;
      // Services run from their own copies, so the folder may go while they save and end.
      await orders.stopAll(id, { cause, actor: caller.name });
      await templates.remove(id);
      await config.removeTemplate(id);
      // One of the same name that is made right after is another template.
      await parts.holds.holdTemplate(id, false);
      const what = running.length === 0 ? '' : ` with ${running.length} services`;
      tell('template.deleted', id, {
        actor: caller.name,
        verb: 'deleted',
        cause: `asked for by ${caller.name}${what}`,
      });
      return {};
    },
  };
}

function toTemplate(id: TemplateId, { config, templates, holds }: Parts, outlook: Outlook): Template {
  const state = config.template(id);
  const { revision, files, bytes, jar, problem, changing } = templates.state(id);
  return {
    id,
    config: state.config,
    configRevision: state.revision,
    problems: [...state.problems],
    files: { revision: changing ? null : revision, files, bytes, jar, problem },
    held: holds.isTemplateHeld(id),
    unmet: outlook.unmetOf(id),
    leaving: null,
  };
}
