import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { markRestarting } from './stop.ts';
import type { Loop } from '../loop/loop.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';

/** Which services of a template are replaced. */
type Which = Params<'templates.restart'>['which'];

/**
 * Carries out restarts that people request: of one service under its id, or a rolling restart of a template.
 * Restarted services use the latest files and values. A rolling restart that cannot be stored is rejected; the
 * restart of one service is carried out even if it cannot be stored.
 */
export class RollingRestarts {
  readonly #context: Pick<Documents, 'config' | 'overrides'> &
    Pick<Environment, 'now'> &
    Pick<ServiceStores, 'records'> &
    Pick<Feed, 'events'>;
  readonly #loop: Loop;

  constructor(
    context: Pick<Documents, 'config' | 'overrides'> &
      Pick<Environment, 'now'> &
      Pick<ServiceStores, 'records'> &
      Pick<Feed, 'events'>,
    loop: Loop,
  ) {
    this.#context = context;
    this.#loop = loop;
  }

  /**
   * Stops a service and starts it again under its id, even if it is paused or already stopping. With `kill`, it gets
   * no time to save, even if a stop is already in progress. A later stop cancels the restart, and the service then
   * stops for good.
   *
   * @throws OverworldError SERVICE_NOT_FOUND, TEMPLATE_NOT_FOUND, TEMPLATE_LEAVING, SERVICE_NOT_STARTED (it has no
   * process to stop, and starts from the latest files anyway). DISK_FULL, DATA_FOLDER_UNSAFE or MASTER_ENDING if the
   * request cannot be stored, although the service is restarted
   */
  async restart(id: ServiceId, kill: boolean, actor: string): Promise<void> {
    const { records, config } = this.#context;
    const record = records.get(id);
    if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    config.template(record.template);
    this.#throwIfLeaving(record.template);
    if (record.node === null)
      throw new OverworldError('SERVICE_NOT_STARTED', { service: id, state: record.state });
    const cause = `requested by ${actor}${kill ? ' (kill)' : ''}`;
    markRestarting(record, { cause, actor }, this.#context);
    if (kill) this.#loop.kill(record);
    try {
      await records.save();
    } finally {
      this.#loop.poke();
    }
  }

  /**
   * Begins a rolling restart of a template's services, or cancels it for services that are not replaced yet. Skips
   * paused services. Also skips services without a process, because they start from the latest files anyway.
   *
   * @param which `all` services, only those that are `outdated`, or `none` to cancel
   * @returns ids of the affected services, in the sequence of their numbers
   * @throws OverworldError TEMPLATE_NOT_FOUND, TEMPLATE_LEAVING, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING;
   *   nothing is changed then
   */
  async roll(template: TemplateId, which: Which, actor: string): Promise<ServiceId[]> {
    const { config, records, events, now } = this.#context;
    config.template(template);
    this.#throwIfLeaving(template);
    const cause = `requested by ${actor}`;
    const chosen = records.of(template).filter((record) => this.#isChosen(record, which));
    const before = chosen.map((record) => [record, record.retiring] as const);
    const retiring = which === 'none' ? null : { since: now(), cause };
    for (const record of chosen) record.retiring = retiring;
    try {
      await records.save();
    } catch (error) {
      for (const [record, mark] of before) if (record.retiring === retiring) record.retiring = mark;
      throw error;
    }
    for (const record of chosen) {
      emitServiceEvent(events, record, {
        ...(retiring === null ? staying(record) : leaving(record)),
        cause,
        actor,
      });
    }
    this.#loop.poke();
    return chosen.map(({ id }) => id);
  }

  #isChosen(record: ServiceRecord, which: Which): boolean {
    if (which === 'none') return record.retiring !== null;
    const canBeReplaced =
      record.node !== null && record.stopping === null && !record.held && record.retiring === null;
    return canBeReplaced && (which === 'all' || this.#loop.published.outdatedNow(record).length > 0);
  }

  #throwIfLeaving(template: TemplateId): void {
    if (this.#context.overrides.leavingOf(template) !== null)
      throw new OverworldError('TEMPLATE_LEAVING', { template });
  }
}

function leaving({ id }: ServiceRecord): { kind: 'service.retiring'; message: string } {
  const message = `${id} is being replaced: it stops once a new service is ready and it is empty`;
  return { kind: 'service.retiring', message };
}

function staying({ id }: ServiceRecord): { kind: 'service.staying'; message: string } {
  return { kind: 'service.staying', message: `${id} stays: it is no longer being replaced` };
}
