import { problemSentence, type FieldProblem } from '#shared/config/document.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ConfigChange } from '#master/store/config-store.ts';
import type { Documents } from '../context/documents.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { Feed } from '../context/feed.ts';

/** The actor of edits that did not come through the admin API, but from an editor on the server. */
const BY_HAND = 'somebody with an editor';

/**
 * Reports changes of configuration and template files to the loop and the app. Changes that were not made through
 * the admin API also go to the activity log.
 *
 * @param poke requests a round of the loop
 * @returns a function that stops the watch
 */
export function watchConfig(
  parts: Documents & Pick<ServiceState, 'startBackoffs'> & Feed,
  poke: () => void,
): () => void {
  const stopConfig = parts.config.onChange((change, how) => {
    if (change.kind === 'master') parts.topics.publish('config', 'services');
    else {
      parts.startBackoffs.forgive(change.id);
      parts.topics.publish('templates');
    }
    if (how === 'by hand') tellByHand(change, parts);
    poke();
  });
  const lastRevision = new Map<TemplateId, string | null>();
  const stopFiles = parts.templates.onChange((id) => {
    const { revision } = parts.templates.state(id);
    const before = lastRevision.get(id);
    lastRevision.set(id, revision);
    if (revision !== before) parts.startBackoffs.forgive(id);
    parts.topics.publish('templates');
    poke();
  });
  const stopShared = parts.sharedFiles.onChange((hasChanged) => {
    for (const [id, { state }] of parts.config.templates)
      if (hasChanged(state.config.defaultServiceFiles)) parts.startBackoffs.forgive(id);
    poke();
  });
  return () => {
    stopShared();
    stopConfig();
    stopFiles();
  };
}

function tellByHand(change: ConfigChange, { events }: Pick<Feed, 'events'>): void {
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
      cause: 'its file is gone',
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
    ? `${name} was edited and is faulty; the last good values stay in use`
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
