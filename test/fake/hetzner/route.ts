import { z } from 'zod';
import { invalidInput } from './api-error.ts';
import type { ApiAnswer, ApiRequest } from './http-core.ts';
import { checkLabels, parseSelector, type Labels } from './label-selector.ts';
import { toPage, toSorted } from './paging.ts';

/** A request with what its path's pattern caught. */
export interface Call extends ApiRequest {
  /** 0 where the path has none. */
  readonly id: number;
  readonly word: string;
}

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly run: (call: Call) => ApiAnswer;
}

/** `/servers/:id/actions/:word` to a pattern. */
export function route(method: string, path: string, run: Route['run']): Route {
  const pattern = path.replaceAll(':id', '(?<id>\\d+)').replace(':word', '(?<word>[a-z_]+)');
  return { method, pattern: new RegExp(`^${pattern}$`), run };
}

/** @throws ApiError invalid_input with the faulty fields */
export function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const fields = result.error.issues.map(({ path, message }) => ({
    name: path.join('.'),
    messages: [message],
  }));
  throw invalidInput(`invalid input in field '${fields[0]?.name ?? ''}'`, fields);
}

interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly labels?: Labels;
}

/** Filters by `name` and `label_selector`, sorts, cuts out the page. */
export function list<T extends Listed>(all: readonly T[], { query }: Call): { items: T[]; meta: object } {
  const name = query.get('name');
  const selector = query.get('label_selector');
  const selects = selector === null ? () => true : parseSelector(selector);
  const found = all.filter((item) => (name === null || item.name === name) && selects(item.labels ?? {}));
  return toPage(toSorted(found, query), query);
}

export const namesAndLabels = z.strictObject({
  name: z.string().min(1).optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

/** @throws ApiError */
export function rename(record: { name: string; labels: Record<string, string> }, body: unknown): void {
  const { name, labels } = parse(namesAndLabels, body);
  if (labels !== undefined) {
    checkLabels(labels);
    record.labels = labels;
  }
  if (name !== undefined) record.name = name;
}
