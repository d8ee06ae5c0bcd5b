import { problemSentence, type FieldProblem } from '#shared/config/document.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ConfigChange } from '#master/store/config-store.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { BY_HAND } from '#master/state/feed/emit-event.ts';

/**
 * Reports changes of configuration and template files to the loop and the app. Ends the back-offs of a changed
 * template, so that failed starts are retried at once. Writes an event to the activity log for changes that were not
 * made through the admin API.
 *
 * @param poke requests a round of the loop
 * @returns a function that stops the watch
 */
export function watchConfig(
  context: Documents & Pick<ServiceStores, 'startBackoffs'> & Pick<NodeAccess, 'nodeBackoff'> & Feed,
  poke: () => void,
): () => void {
  const forgive = (id: TemplateId): void => {
    context.startBackoffs.forgive(id);
    context.nodeBackoff.forgiveTemplate(id);
  };
  const stopConfig = context.config.onChange((change, how) => {
    if (change.kind === 'master') context.topics.publish('config', 'services');
    else {
      forgive(change.id);
      context.topics.publish('templates');
    }
    if (how === 'by hand') emitEditEvent(change, context);
    poke();
  });
  const lastRevision = new Map<TemplateId, string | null>();
  const stopFiles = context.templates.onChange((id) => {
    const { revision } = context.templates.state(id);
    const before = lastRevision.get(id);
    lastRevision.set(id, revision);
    if (revision !== before) forgive(id);
    context.topics.publish('templates');
    poke();
  });
  const stopShared = context.sharedFiles.onChange((hasChanged) => {
    for (const [id, { state }] of context.config.templates)
      if (hasChanged(state.config.defaultServiceFiles)) forgive(id);
    poke();
  });
  return () => {
    stopShared();
    stopConfig();
    stopFiles();
  };
}

function emitEditEvent(change: ConfigChange, { events }: Pick<Feed, 'events'>): void {
  const template = change.kind === 'master' ? null : change.id;
  const subject =
    template === null
      ? ({ type: 'config', id: 'master' } as const)
      : ({ type: 'template', id: template } as const);
  const name = template === null ? 'The master configuration' : `Template ${template}`;
  if (change.kind === 'template removed') {
    const message = `${name} was deleted`;
    events.add({
      kind: 'template.deleted',
      subject,
      template,
      actor: BY_HAND,
      message,
      cause: 'its file was deleted',
    });
    return;
  }
  const { problems } = change.state;
  const faulty = problems.length > 0;
  const kind =
    template === null
      ? faulty
        ? 'config.faulty'
        : 'config.changed'
      : faulty
        ? 'template.faulty'
        : 'template.changed';
  const message = faulty
    ? `${name} was edited and has mistakes, so the last good values stay in use`
    : `${name} was edited`;
  const cause = faulty ? firstProblem(problems) : 'its file changed';
  events.add({ kind, subject, template, actor: BY_HAND, message, cause });
}

function firstProblem(problems: readonly FieldProblem[]): string {
  const [first] = problems;
  if (first === undefined) return '';
  const more = problems.length === 1 ? '' : ` And ${problems.length - 1} more.`;
  return problemSentence(first) + more;
}
