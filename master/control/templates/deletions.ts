import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { markStopping, type StopReason } from '../services/stop.ts';
import type { TemplateDeletion } from '#master/state/overrides/overrides.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { OVERWORLD, emitTemplateEvent, emitMasterTrouble } from '#master/state/feed/emit-event.ts';

/**
 * Deletes templates. The request is on disk before anything is deleted. It stays there until the template's files and
 * document are removed, so that a crash only delays the deletion.
 */
export class Deletions {
  readonly #context: Documents & Pick<Environment, 'now' | 'log'> & Pick<ServiceStores, 'records'> & Feed;
  readonly #poke: () => void;
  /** Running removals of template files. The deletion of these templates can no longer be cancelled. */
  readonly #removals = new Map<TemplateId, Promise<void>>();
  /** Templates whose failed removal was already reported. */
  readonly #troubled = new Set<TemplateId>();

  /** @param poke requests a round of the loop */
  constructor(
    context: Documents & Pick<Environment, 'now' | 'log'> & Pick<ServiceStores, 'records'> & Feed,
    poke: () => void,
  ) {
    this.#context = context;
    this.#poke = poke;
  }

  /**
   * Stops all services of a template for good, including paused ones, and removes the template. Services run from
   * their own copies of its files, so the folder may be removed while they save and exit.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND. DISK_FULL, DATA_FOLDER_UNSAFE or MASTER_ENDING if the request cannot
   *   be stored: the template is then kept, but some of its services may already have been stopped. Errno errors if
   *   the files cannot be removed; later rounds try again
   */
  async stopAndRemove(template: TemplateId, actor: string): Promise<void> {
    const cause = `template ${template} was deleted by ${actor}`;
    const isNew = await this.#markLeaving(template, { since: this.#context.now(), cause });
    const services = this.#context.records.of(template).length;
    try {
      if (services > 0) await this.#stopAll(template, { cause, actor });
    } catch (error) {
      if (isNew) await this.#context.overrides.leaveTemplate(template, null);
      throw error;
    }
    const what = services === 0 ? '' : ` with ${services} services`;
    await this.#remove(template, { cause: `requested by ${actor}${what}`, actor });
  }

  /**
   * Removes a template once its last service has exited. Until then, no more services start, and unused services are
   * stopped. A repeated call has no effect.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING; nothing is changed then
   */
  async drain(template: TemplateId, actor: string): Promise<void> {
    const cause = `requested by ${actor}`;
    const isNew = await this.#markLeaving(template, { since: this.#context.now(), cause });
    if (!isNew) return;
    const message = `Template ${template} is deleted once its last service is removed`;
    this.#emit(template, { kind: 'template.leaving', message, cause, actor });
  }

  /**
   * Cancels {@link Deletions.drain}. Does nothing for a template that is not being deleted.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND (also if its files are already being removed), DISK_FULL,
   *   MASTER_ENDING
   */
  async cancel(template: TemplateId, actor: string): Promise<void> {
    this.#throwIfGone(template);
    if (!(await this.#context.overrides.leaveTemplate(template, null))) return;
    const cause = `requested by ${actor}`;
    const message = `Template ${template} stays: it is no longer being deleted`;
    this.#emit(template, { kind: 'template.staying', message, cause, actor });
  }

  /** Removes deleted templates after their last service has exited. Called every round. */
  carryOn(): void {
    const { overrides, config, records } = this.#context;
    for (const template of overrides.leaving) {
      const leaving = overrides.leavingOf(template);
      if (leaving === null || !config.templates.has(template) || records.of(template).length > 0) continue;
      if (this.#removals.has(template)) continue;
      const cause = `${leaving.cause}; its last service was removed`;
      this.#remove(template, { cause }).catch((error: unknown) => this.#failed(template, error));
    }
  }

  /** Resolves when no removal is in progress. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#removals.values());
  }

  /**
   * Marks a template for deletion.
   *
   * @returns false if it was already marked
   */
  async #markLeaving(template: TemplateId, leaving: TemplateDeletion): Promise<boolean> {
    this.#throwIfGone(template);
    return this.#context.overrides.leaveTemplate(template, leaving);
  }

  #throwIfGone(template: TemplateId): void {
    this.#context.config.template(template);
    if (this.#removals.has(template)) throw new OverworldError('TEMPLATE_NOT_FOUND', { template });
  }

  async #stopAll(template: TemplateId, why: StopReason): Promise<void> {
    const { records } = this.#context;
    const ofTemplate = records.of(template);
    const before = ofTemplate.map((record) => [record, record.held, record.restarting] as const);
    for (const record of ofTemplate) {
      record.held = false;
      markStopping(record, why, this.#context);
    }
    try {
      await records.save();
    } catch (error) {
      // The request was rejected, so `held` and `restarting` get their earlier values. The services still stop, and
      // paused ones are requested again.
      for (const [record, held, restarting] of before) Object.assign(record, { held, restarting });
      throw error;
    } finally {
      this.#poke();
    }
  }

  #remove(template: TemplateId, why: StopReason): Promise<void> {
    const under = this.#removals.get(template);
    if (under !== undefined) return under;
    const removal = this.#removeFiles(template, why).finally(() => this.#removals.delete(template));
    this.#removals.set(template, removal);
    return removal;
  }

  async #removeFiles(template: TemplateId, { cause, actor = OVERWORLD }: StopReason): Promise<void> {
    const { templates, config, overrides } = this.#context;
    await templates.remove(template);
    await config.removeTemplate(template);
    this.#troubled.delete(template);
    const message = `Template ${template} was deleted`;
    this.#emit(template, { kind: 'template.deleted', message, cause, actor });
    // A template that is created later under the same name must not inherit these overrides.
    await overrides.forgetTemplate(template);
  }

  #emit(template: TemplateId, happening: Parameters<typeof emitTemplateEvent>[2]): void {
    emitTemplateEvent(this.#context.events, template, happening);
    this.#context.topics.publish('templates');
    this.#poke();
  }

  /** Reports a failed removal once. The next round tries again. */
  #failed(template: TemplateId, thrown: unknown): void {
    this.#context.log.error({ err: thrown, template }, 'removing a template failed');
    if (this.#troubled.has(template)) return;
    this.#troubled.add(template);
    const message = `Template ${template} could not be deleted; the master retries`;
    emitMasterTrouble(this.#context.events, toOverworldError(thrown).message, message);
  }
}
