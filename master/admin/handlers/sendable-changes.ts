import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { MessageBudget } from '#master/files/tasks/message-budget.ts';

type Changes = Result<'templates.compareRevisions' | 'volumes.compare'>;

/**
 * Returns the differences of two revisions or saves if they fit into one message of the admin API.
 *
 * @throws OverworldError TOO_MANY
 */
export function sendableChanges(changes: Changes): Changes {
  const room = new MessageBudget();
  const limit = Object.values(changes)
    .flat()
    .findIndex((path) => !room.take(path));
  if (limit === -1) return changes;
  throw new OverworldError('TOO_MANY', { what: 'differing files', limit });
}
