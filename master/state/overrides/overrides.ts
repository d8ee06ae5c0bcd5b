import { z } from 'zod';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

const nodeWishesSchema = z.object({
  held: z.boolean().default(false),
  locked: z.boolean().default(false),
  /** Requested state of the node once it is up; null if it accepts services. */
  schedule: z.enum(['cordon', 'drain', 'release']).nullable().default(null),
  /** Whether the rules set the schedule and may undo it; false if a person did. */
  byRules: z.boolean().default(false),
});

/** Overrides of a node, independent of its provider. */
export type NodeOverrides = Readonly<z.infer<typeof nodeWishesSchema>>;

const leavingSchema = z.object({ since: z.int(), cause: z.string() });

/**
 * When and why the deletion of a template was requested. The template is deleted once its last service has exited.
 */
export type TemplateDeletion = Readonly<z.infer<typeof leavingSchema>>;

const fileSchema = z.object({
  /** Templates whose automation is paused. */
  templates: z.array(z.string()).default([]),
  /** Templates whose deletion was requested, with the time and the reason of the request. */
  leaving: z.record(z.string(), leavingSchema).default({}),
  nodes: z.record(z.string(), nodeWishesSchema).default({}),
});
type HoldsFile = z.infer<typeof fileSchema>;

/** The stored overrides by id. An id such as `constructor` is also the name of a property that each object has. */
interface OverridesById {
  readonly templates: ReadonlySet<TemplateId>;
  readonly leaving: ReadonlyMap<TemplateId, TemplateDeletion>;
  readonly nodes: ReadonlyMap<NodeId, NodeOverrides>;
}

function byId({ templates, leaving, nodes }: HoldsFile): OverridesById {
  return {
    templates: new Set(templates),
    leaving: new Map(Object.entries(leaving)),
    nodes: new Map(Object.entries(nodes)),
  };
}

const NO_WISHES: NodeOverrides = { held: false, locked: false, schedule: null, byRules: false };

/**
 * Stores overrides of templates and nodes. Each change is on disk before its promise resolves. A change that cannot
 * be stored is not made. After {@link Overrides.close}, every change is rejected with MASTER_ENDING. If the file is
 * missing, there are no overrides.
 */
export class Overrides {
  readonly #file: JsonFile<HoldsFile>;
  #overrides: OverridesById;
  #closed = false;

  private constructor(file: JsonFile<HoldsFile>) {
    this.#file = file;
    this.#overrides = byId(file.data);
  }

  /**
   * Reads the overrides from disk.
   *
   * @throws OverworldError DATA_FAULTY
   */
  static async open(path: string): Promise<Overrides> {
    return new Overrides(await openJsonFile(path, fileSchema, { templates: [], leaving: {}, nodes: {} }));
  }

  /** Reports whether automation of a template is paused. */
  isTemplateHeld(id: TemplateId): boolean {
    return this.#overrides.templates.has(id);
  }

  /** Returns since when and why a template is being deleted. Null if it is not. */
  leavingOf(id: TemplateId): TemplateDeletion | null {
    return this.#overrides.leaving.get(id) ?? null;
  }

  /** Templates that are being deleted. */
  get leaving(): readonly TemplateId[] {
    return [...this.#overrides.leaving.keys()];
  }

  /** Returns the overrides of a node. If none are set, returns the default values. */
  ofNode(id: NodeId): NodeOverrides {
    return this.#overrides.nodes.get(id) ?? NO_WISHES;
  }

  /**
   * Pauses (`held`) or resumes automation of a template's services.
   *
   * @returns true if that changed anything
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async holdTemplate(id: TemplateId, held: boolean): Promise<boolean> {
    return this.#update((data) => {
      if (data.templates.includes(id) === held) return data;
      const others = data.templates.filter((other) => other !== id);
      return { ...data, templates: held ? [...others, id].sort() : others };
    });
  }

  /**
   * Marks a template for deletion: it is deleted once its last service has exited. Null cancels the deletion. If the
   * template is already marked, the existing mark is kept.
   *
   * @returns true if that changed anything
   * @throws as {@link Overrides.holdTemplate}
   */
  async leaveTemplate(id: TemplateId, leaving: TemplateDeletion | null): Promise<boolean> {
    return this.#update((data) => {
      const marked = new Map(Object.entries(data.leaving));
      if (marked.has(id) === (leaving !== null)) return data;
      if (leaving === null) marked.delete(id);
      else marked.set(id, leaving);
      return { ...data, leaving: Object.fromEntries(marked) };
    });
  }

  /**
   * Removes all overrides of a template, for example after its deletion. If the call fails, some of them may already
   * be removed.
   *
   * @throws as {@link Overrides.holdTemplate}
   */
  async forgetTemplate(id: TemplateId): Promise<void> {
    await this.holdTemplate(id, false);
    await this.leaveTemplate(id, null);
  }

  /**
   * Changes the overrides of a node.
   *
   * @returns true if that changed anything
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async changeNode(
    id: NodeId,
    change: (overrides: NodeOverrides) => Partial<NodeOverrides>,
  ): Promise<boolean> {
    return this.#update((data) => {
      const nodes = new Map(Object.entries(data.nodes));
      const before = nodes.get(id) ?? NO_WISHES;
      const after = { ...before, ...change(before) };
      if (isSame(before, after)) return data;
      if (isSame(after, NO_WISHES)) nodes.delete(id);
      else nodes.set(id, after);
      return { ...data, nodes: Object.fromEntries(nodes) };
    });
  }

  /**
   * Drains a node on behalf of the rules. Does nothing if the node is paused or protected, or already has a schedule.
   *
   * @returns false if the node stays unchanged
   * @throws as {@link Overrides.changeNode}
   */
  drainByRules(id: NodeId): Promise<boolean> {
    return this.changeNode(id, ({ held, locked, schedule }) =>
      held || locked || schedule !== null ? {} : { schedule: 'drain', byRules: true },
    );
  }

  /**
   * Undoes {@link Overrides.drainByRules}. Does nothing if the node is paused, or if a person has changed its
   * schedule in the meantime.
   *
   * @returns false if nothing is changed
   * @throws as {@link Overrides.changeNode}
   */
  resumeByRules(id: NodeId): Promise<boolean> {
    return this.changeNode(id, ({ held, byRules }) =>
      held || !byRules ? {} : { schedule: null, byRules: false },
    );
  }

  /**
   * Removes overrides of templates and nodes that no longer exist. Writes the file only if an override is removed.
   *
   * @param known.template reports whether a template exists
   * @param known.nodes nodes that exist
   * @throws as {@link Overrides.changeNode}
   */
  async tidy(known: {
    readonly template: (id: TemplateId) => boolean;
    readonly nodes: readonly NodeId[];
  }): Promise<void> {
    const { templates, leaving, nodes } = this.#file.data;
    const ids = new Set(known.nodes);
    const isKnown = templates.every(known.template) && Object.keys(leaving).every(known.template);
    if (isKnown && Object.keys(nodes).every((id) => ids.has(id))) return;
    await this.#update((data) => ({
      templates: data.templates.filter(known.template),
      leaving: Object.fromEntries(Object.entries(data.leaving).filter(([id]) => known.template(id))),
      nodes: Object.fromEntries(Object.entries(data.nodes).filter(([id]) => ids.has(id))),
    }));
  }

  /**
   * Stops all writes and rejects further changes, because another master may use the file. Resolves when the last
   * write has finished.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#file.update((data) => data);
  }

  async #update(change: (data: HoldsFile) => HoldsFile): Promise<boolean> {
    let changed = false;
    await this.#file.update((data) => {
      if (this.#closed)
        throw new OverworldError('MASTER_ENDING', { what: 'the settings of templates and nodes' });
      const after = change(data);
      changed = after !== data;
      return after;
    });
    this.#overrides = byId(this.#file.data);
    return changed;
  }
}

function isSame(a: NodeOverrides, b: NodeOverrides): boolean {
  return a.held === b.held && a.locked === b.locked && a.schedule === b.schedule && a.byRules === b.byRules;
}
