import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { markStopping, type Why } from '../services/stop.ts';
import type { Leaving } from '../overrides/overrides.ts';
import type { Documents } from '../context/documents.ts';
import type { Environment } from '../context/environment.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { Feed } from '../context/feed.ts';
import { OVERWORLD, emitTemplateEvent, emitMasterTrouble } from '../feed/emit-event.ts';

/**
 * Templates that go. That one is to go is on disk before anything is done about it, and stays there until its files and
 * its document are gone: a crash in between only makes it later.
 */
export class Deletions {
  readonly #parts: Documents & Pick<Environment, 'now' | 'log'> & Pick<ServiceState, 'records'> & Feed;
  readonly #poke: () => void;
  /** Whose files are being removed: nothing can be taken back any more. */
  readonly #removals = new Map<TemplateId, Promise<void>>();
  /** Whose removal failed, and was told. */
  readonly #troubled = new Set<TemplateId>();

  /** @param poke makes the loop go round */
  constructor(
    parts: Documents & Pick<Environment, 'now' | 'log'> & Pick<ServiceState, 'records'> & Feed,
    poke: () => void,
  ) {
    this.#parts = parts;
    this.#poke = poke;
  }

  /**
   * Stops all services of a template, also held ones, for good, and removes it. They run from copies of their own, so
   * its folder may go while they save and end.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND, DISK_FULL, MASTER_ENDING; then nothing is changed
   */
  async stopAndRemove(template: TemplateId, actor: string): Promise<void> {
    const cause = `template ${template} was deleted by ${actor}`;
    const isNew = await this.#markLeaving(template, { since: this.#parts.now(), cause });
    const services = this.#parts.records.of(template).length;
    try {
      if (services > 0) await this.#stopAll(template, { cause, actor });
    } catch (error) {
      if (isNew) await this.#parts.overrides.leaveTemplate(template, null);
      throw error;
    }
    const what = services === 0 ? '' : ` with ${services} services`;
    await this.#remove(template, { cause: `asked for by ${actor}${what}`, actor });
  }

  /**
   * Has a template removed once its last service is gone: none is started any more, those that nobody uses are stopped.
   * Asking again is fine.
   *
   * @throws as {@link Deletions.stopAndRemove}
   */
  async drain(template: TemplateId, actor: string): Promise<void> {
    const cause = `asked for by ${actor}`;
    const isNew = await this.#markLeaving(template, { since: this.#parts.now(), cause });
    if (!isNew) return;
    const message = `Template ${template} is deleted once its last service is gone`;
    this.#tell(template, { kind: 'template.leaving', message, cause, actor });
  }

  /**
   * Takes {@link Deletions.drain} back; fine for a template that stays.
   *
   * @throws OverworldError TEMPLATE_NOT_FOUND (also when its files are being removed already), DISK_FULL, MASTER_ENDING
   */
  async cancel(template: TemplateId, actor: string): Promise<void> {
    this.#throwIfGone(template);
    if (!(await this.#parts.overrides.leaveTemplate(template, null))) return;
    const cause = `asked for by ${actor}`;
    const message = `Template ${template} stays: it is not deleted any more`;
    this.#tell(template, { kind: 'template.staying', message, cause, actor });
  }

  /** Removes templates whose last service is gone; called every round, and costs nothing while there are none. */
  carryOn(): void {
    const { overrides, config, records } = this.#parts;
    for (const template of overrides.leaving) {
      const leaving = overrides.leavingOf(template);
      if (leaving === null || !config.templates.has(template) || records.of(template).length > 0) continue;
      if (this.#removals.has(template)) continue;
      const cause = `${leaving.cause}; its last service is gone`;
      this.#remove(template, { cause }).catch((error: unknown) => this.#failed(template, error));
    }
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#removals.values());
  }

  /** @returns false when it was leaving already */
  async #markLeaving(template: TemplateId, leaving: Leaving): Promise<boolean> {
    this.#throwIfGone(template);
    return this.#parts.overrides.leaveTemplate(template, leaving);
  }

  #throwIfGone(template: TemplateId): void {
    this.#parts.config.template(template);
    if (this.#removals.has(template)) throw new OverworldError('TEMPLATE_NOT_FOUND', { template });
  }

  async #stopAll(template: TemplateId, why: Why): Promise<void> {
    const { records } = this.#parts;
    const ofTemplate = records.of(template);
    const before = ofTemplate.map((record) => [record, record.held, record.restarting] as const);
    for (const record of ofTemplate) {
      record.held = false;
      markStopping(record, why, this.#parts);
    }
    try {
      await records.save();
    } catch (error) {
      // Refused: what was promised of them holds. They end all the same, and come back as held ones do.
      for (const [record, held, restarting] of before) Object.assign(record, { held, restarting });
      throw error;
    } finally {
      this.#poke();
    }
  }

  #remove(template: TemplateId, why: Why): Promise<void> {
    const under = this.#removals.get(template);
    if (under !== undefined) return under;
    const removal = this.#removeFiles(template, why).finally(() => this.#removals.delete(template));
    this.#removals.set(template, removal);
    return removal;
  }

  async #removeFiles(template: TemplateId, { cause, actor = OVERWORLD }: Why): Promise<void> {
    const { templates, config, overrides } = this.#parts;
    await templates.remove(template);
    await config.removeTemplate(template);
    this.#troubled.delete(template);
    const message = `Template ${template} was deleted`;
    this.#tell(template, { kind: 'template.deleted', message, cause, actor });
    // One of the same name that is made right after is another template.
    await overrides.forgetTemplate(template);
  }

  #tell(template: TemplateId, happening: Parameters<typeof emitTemplateEvent>[2]): void {
    emitTemplateEvent(this.#parts.events, template, happening);
    this.#parts.topics.publish('templates');
    this.#poke();
  }

  /** Tried again in the next round; told once. */
  #failed(template: TemplateId, thrown: unknown): void {
    this.#parts.log.error({ err: thrown, template }, 'removing a template failed');
    if (this.#troubled.has(template)) return;
    this.#troubled.add(template);
    const message = `Template ${template} could not be removed; it is tried again`;
    emitMasterTrouble(this.#parts.events, toOverworldError(thrown).message, message);
  }
}
