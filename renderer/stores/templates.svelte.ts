import { isPersistent } from '#shared/config/template.ts';
import type { Template, TemplateId } from '#shared/model/template.ts';
import { call } from '../bridge/bridge.ts';
import { proxyTemplates } from '../view/player.ts';
import { Fetched } from './fetched.svelte.ts';

/** All templates, sorted by id. */
class Templates extends Fetched<readonly Template[]> {
  readonly list: readonly Template[] = $derived(
    [...(this.value ?? [])].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
  );
  /** Ids of the templates whose services are proxies. */
  readonly proxies: ReadonlySet<TemplateId> = $derived(proxyTemplates(this.list));
  /** Ids of the templates whose services keep data in volumes. */
  readonly persistent: ReadonlySet<TemplateId> = $derived(
    new Set(this.list.filter(({ config }) => isPersistent(config)).map(({ id }) => id)),
  );
  readonly #byId = $derived(new Map(this.list.map((template) => [template.id, template])));

  constructor() {
    super(() => call('templates.list', {}));
  }

  readonly get = (id: TemplateId): Template | undefined => this.#byId.get(id);

  /** Whether there is no template with this id. False until the templates are known. */
  readonly isGone = (id: TemplateId): boolean => this.value !== null && !this.#byId.has(id);

  /** Replaces a template by its version in a newer response. Does nothing if the template is not in the list. */
  readonly put = (template: Template): void => {
    this.value = this.value?.map((one) => (one.id === template.id ? template : one)) ?? null;
  };
}

export const templates = new Templates();
