import type { Documents } from '#master/state/context/documents.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { Handlers } from '../api.ts';
import type { QueryThrottle } from './query-throttle.ts';
import { sendableChanges } from './sendable-changes.ts';

type RevisionMethod = 'templates.revisions' | 'templates.compareRevisions' | 'templates.restoreRevision';

/**
 * Creates the handlers for stored revisions of templates: list, compare and restore.
 *
 * @param comparisons runs one comparison at a time
 */
export function templateRevisionHandlers(
  { config, templates, events }: Pick<Documents, 'config' | 'templates'> & Pick<Feed, 'events'>,
  comparisons: QueryThrottle,
): Pick<Handlers, RevisionMethod> {
  return {
    'templates.revisions': ({ id }) => {
      config.template(id);
      return templates.revisions(id);
    },
    'templates.compareRevisions': ({ id, from, to }) => {
      config.template(id);
      return comparisons.run(async () => sendableChanges(await templates.compare(id, { from, to })));
    },
    'templates.restoreRevision': async ({ id, revision }, caller) => {
      config.template(id);
      await templates.restore(id, revision);
      events.add({
        kind: 'template.files-restored',
        subject: { type: 'template', id },
        template: id,
        actor: caller.name,
        message: `The files of template ${id} were restored to ${revision}`,
        cause: `requested by ${caller.name}`,
      });
      return {};
    },
  };
}
