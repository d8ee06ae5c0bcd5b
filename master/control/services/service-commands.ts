import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isPersistent } from '#shared/config/template.ts';
import { nextFreeNumbers } from '#master/core/volumes/numbering.ts';
import { hasProcess, serviceIdOf, type ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { redactCommand } from './redact-command.ts';
import { markStopping, type StopReason } from './stop.ts';
import type { Loop } from '../loop/loop.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';

/**
 * Maximum number of waiting services. Beyond it, requests of people are rejected, because every change writes all
 * waiting services to disk again.
 */
const MAX_WAITING = 1_000;

/**
 * Commands of people for services. A command stores its request, and resolves once the request is on disk; the next
 * round carries it out. A request that cannot be stored is rejected. The exception is a stop: it is carried out even
 * if its request cannot be stored, because it may free space on a full disk. The command is then rejected although
 * the service stops: the rejection only means that a crash would lose the request.
 */
export class ServiceCommands {
  readonly #context: Pick<Documents, 'config' | 'overrides'> &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'runtimeOf' | 'nodeBackoff'> &
    Pick<ServiceStores, 'records' | 'volumes' | 'startBackoffs'> &
    Pick<Feed, 'events'>;
  readonly #loop: Loop;

  constructor(
    context: Pick<Documents, 'config' | 'overrides'> &
      Pick<Environment, 'now'> &
      Pick<NodeAccess, 'runtimeOf' | 'nodeBackoff'> &
      Pick<ServiceStores, 'records' | 'volumes' | 'startBackoffs'> &
      Pick<Feed, 'events'>,
    loop: Loop,
  ) {
    this.#context = context;
    this.#loop = loop;
  }

  /**
   * Requests one more service of a template.
   *
   * @returns the id of the new service
   * @throws OverworldError TEMPLATE_NOT_FOUND, TEMPLATE_LEAVING, CAP_REACHED, TOO_MANY, DISK_FULL,
   *   DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async start(template: TemplateId, actor: string): Promise<ServiceId> {
    const { config, records, overrides, events, now } = this.#context;
    const values = config.template(template).config;
    const maximum = values.maximumOnlineServers;
    if (overrides.leavingOf(template) !== null) throw new OverworldError('TEMPLATE_LEAVING', { template });
    if (maximum !== -1 && records.of(template).length >= maximum) {
      throw new OverworldError('CAP_REACHED', { template, maximum });
    }
    const waiting = records.all.filter(({ state, stopping }) => state === 'REQUESTED' && stopping === null);
    if (waiting.length >= MAX_WAITING) {
      throw new OverworldError('TOO_MANY', {
        what: 'services waiting to start',
        limit: MAX_WAITING,
      });
    }
    const id = serviceIdOf(template, this.#nextNumber(template, isPersistent(values)));
    const cause = `requested by ${actor}`;
    const record = records.add({ id, template, requestedAt: now(), cause, manual: true });
    await this.#storeRequest(record);
    emitServiceEvent(events, record, { kind: 'service.requested', message: `${id} was requested`, actor });
    // If a person tries again, the cause of failed starts may be fixed. So the template and all nodes are tried again.
    this.#context.startBackoffs.forgive(template);
    this.#context.nodeBackoff.forgiveAll();
    this.#loop.poke();
    return id;
  }

  /**
   * Stores the record of a requested service, or removes it.
   *
   * @throws as {@link RecordStore.save}
   */
  async #storeRequest(record: ServiceRecord): Promise<void> {
    const { records } = this.#context;
    try {
      await records.save();
    } catch (error) {
      // Meanwhile, a round may have placed the service. It stores the records, too, and withdraws the placement if it
      // cannot. This call waits for its result.
      if (record.node !== null) await records.save().catch(() => undefined);
      if (record.node !== null) return;
      records.remove(record.id);
      throw error;
    }
  }

  #nextNumber(template: TemplateId, isPersistent: boolean): number {
    const { records, volumes } = this.#context;
    if (!isPersistent) return records.nextNumber(template);
    const numbered = { services: records.of(template), volumes: volumes.snapshot(() => null) };
    return nextFreeNumbers(template, numbered, 1)[0] ?? 1;
  }

  /**
   * Stops a service. A paused service with a process stays requested; a paused service without a process is removed.
   * Stopping a service that is already stopping is allowed; with `kill`, the service is then killed. If a save of its
   * data has failed, and a person requests the stop again, the next attempt begins at once.
   *
   * @param by name of the person who requested it, or an actor together with the cause for the activity log
   * @param kill whether to stop the service without giving it time to save
   * @throws OverworldError SERVICE_NOT_FOUND; DISK_FULL, DATA_FOLDER_UNSAFE or MASTER_ENDING if the request cannot be
   *   stored, although the service is stopped
   */
  async stop(id: ServiceId, kill: boolean, by: string | StopReason): Promise<void> {
    const record = this.#record(id);
    const why =
      typeof by === 'string' ? { cause: `requested by ${by}${kill ? ' (kill)' : ''}`, actor: by } : by;
    markStopping(record, why, this.#context);
    if (kill) this.#loop.kill(record);
    if (typeof by === 'string') this.#context.volumes.of(id)?.failure.endDelays();
    await this.#saveAndPoke();
  }

  /**
   * Sends a line to the console of a service. Writes an event with the line, without passwords.
   *
   * @throws OverworldError SERVICE_NOT_FOUND, SERVICE_NOT_STARTED, CONSOLE_BLOCKED (the service does not read its
   *   console), NODE_UNREACHABLE
   */
  async command(id: ServiceId, line: string, actor: string): Promise<void> {
    const record = this.#record(id);
    if (record.node === null || !hasProcess(record)) {
      throw new OverworldError('SERVICE_NOT_STARTED', { service: id, state: record.state });
    }
    await this.#context.runtimeOf(record.node).command(id, line);
    emitServiceEvent(this.#context.events, record, {
      kind: 'service.command',
      message: `${actor} sent a command to ${id}`,
      cause: redactCommand(line),
      actor,
    });
  }

  async #saveAndPoke(): Promise<void> {
    try {
      await this.#context.records.save();
    } finally {
      this.#loop.poke();
    }
  }

  #record(id: ServiceId): ServiceRecord {
    const record = this.#context.records.get(id);
    if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    return record;
  }
}
