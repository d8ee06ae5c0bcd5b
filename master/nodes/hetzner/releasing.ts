import { monotonicMs } from '#shared/node/clock.ts';
import type { ReleaseRequester } from '#master/core/fleet/spending.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { awaitActions } from './actions.ts';
import { ApiProblem, describeProblem, isProblem } from './api/api-problem.ts';
import type { Context } from './context.ts';
import type { MachineRecord } from './journal.ts';
import type { Guard } from './guard.ts';
import { isOurs } from './labels.ts';

/** Number of checks after which the deletion is requested again if the server still exists. */
const LOOKS_PER_TRY = 20;

/** Deletes single servers. Deleting a server that no longer exists does nothing (docs/adr/0018). */
export class Releasing {
  readonly #context: Context;
  readonly #guard: Guard;

  constructor(context: Context, guard: Guard) {
    this.#context = context;
    this.#guard = guard;
  }

  /**
   * Records in the journal that a machine must be deleted.
   *
   * @returns false if there is no such machine
   * @throws OverworldError DISK_FULL
   */
  async intend(node: NodeId): Promise<boolean> {
    const { journal } = this.#context;
    if (journal.of(node) === undefined) return false;
    await journal.change(node, { phase: 'releasing' });
    return true;
  }

  /**
   * Deletes a server, waits until it no longer exists at the provider, and removes its record.
   *
   * @throws ApiProblem, `action_timeout` after `times.actionTimeout` ms; OverworldError DISK_FULL. The server stays
   *   marked for deletion in that case. OverworldError RELEASE_REFUSED if the record was removed at a person's
   *   request, although the server may still exist
   */
  async carryOut(node: NodeId, requester: ReleaseRequester): Promise<void> {
    const { api, isTokenProven, journal, times, now, log } = this.#context;
    const began = monotonicMs();
    const deadline = began + times.actionTimeout;
    for (let looks = 0; ; looks += 1) {
      const record = journal.of(node);
      if (record === undefined) return;
      const isProven = isTokenProven();
      const server = record.server ?? (await this.#findOrdered(record));
      if (server === null) {
        // A server whose order got no answer may still appear for a while. Both clocks count, so that a clock that
        // was set back does not extend that time.
        const isOver = now() - record.since > times.grace || monotonicMs() - began > times.grace;
        if (isOver) return this.#forget(node, { requester, isProven });
        await api().requester.pause(times.actionPoll);
        continue;
      }
      if (await this.#deleteServer(server, looks % LOOKS_PER_TRY === 0)) {
        await this.#forget(node, { requester, isProven });
        log.info({ node, server }, 'the provider has deleted the node');
        return;
      }
      if (monotonicMs() > deadline) {
        throw new ApiProblem('the server still exists', { outcome: 'unknown', code: 'action_timeout' });
      }
      await api().requester.pause(times.actionPoll * api().requester.budget.slowdown);
    }
  }

  /**
   * Removes the record of a server that the provider does not find. If the token may belong to another project, the
   * server may exist nevertheless. Only a person may remove its record then, because the project may no longer exist.
   *
   * @throws ApiProblem `other_project` if the record stays; OverworldError RELEASE_REFUSED if it was removed,
   *   although the server may exist; DISK_FULL
   */
  async #forget(
    node: NodeId,
    { requester, isProven }: { readonly requester: ReleaseRequester; readonly isProven: boolean },
  ): Promise<void> {
    const { journal } = this.#context;
    const why = 'the API token sees no such server, but may belong to another project';
    if (!isProven && requester === 'rules') {
      throw new ApiProblem(why, { outcome: 'refused', code: 'other_project' });
    }
    await journal.forget(node);
    if (isProven) return;
    const advice =
      'It was removed from the list of nodes, but its server may still exist and cost money. Delete it in the console of its project.';
    throw new OverworldError('RELEASE_REFUSED', { node, why, advice });
  }

  /**
   * Requests the deletion of a server.
   *
   * @param insists whether to request the deletion even if the server is already being deleted
   * @returns true once the provider has no server with this id
   */
  async #deleteServer(id: number, insists: boolean): Promise<boolean> {
    const { api, times } = this.#context;
    const server = await api().server(id);
    if (server === null) return true;
    if (server.status === 'deleting' && !insists) return false;
    try {
      const action = await this.#guard.deleteServer(server);
      if (action !== null) await awaitActions(api(), [action], times);
    } catch (error) {
      // Another action is running on the server, or the deletion failed; check again.
      if (!isProblem(error, 'locked', 'action_failed', 'conflict')) throw error;
    }
    return false;
  }

  async #findOrdered({ name, node }: MachineRecord): Promise<number | null> {
    const { api, cluster, journal } = this.#context;
    const found = await api().findServer(name);
    if (found === null || !isOurs(found.labels, cluster)) return null;
    await journal.change(node, { server: found.id, since: found.created });
    return found.id;
  }
}

/**
 * Converts an {@link ApiProblem} of a release to PROVIDER_UNREACHABLE, or to RELEASE_REFUSED if the provider or the
 * guard refused it. Returns any other error unchanged.
 */
export function toReleaseError(node: NodeId, error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  if (error.outcome === 'unknown') {
    return new OverworldError('PROVIDER_UNREACHABLE', { why: describeProblem(error) });
  }
  return new OverworldError('RELEASE_REFUSED', {
    node,
    why: describeProblem(error),
    advice: adviceFor(error),
  });
}

function adviceFor(problem: ApiProblem): string {
  if (isProblem(problem, 'protected')) {
    return "Remove the protection in the provider's console; it is then deleted automatically.";
  }
  return isProblem(problem, 'other_project')
    ? 'It is deleted once a token of its project is set; until then it costs money.'
    : 'It is retried automatically; it costs money until it is deleted.';
}
