import { z } from 'zod';
import { invalidInput } from '../http/api-error.ts';
import type { ApiAnswer, ApiRequest } from '../http/http-core.ts';
import { checkLabels, parseSelector, type Labels } from '../world/label-selector.ts';
import { toPage, toSorted } from '../http/paging.ts';

/** Request with the values that the route captured from the path. */
export interface Call extends ApiRequest {
  /** ID from the path; 0 if the path has no ID. */
  readonly id: number;
  readonly word: string;
}

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly run: (call: Call) => ApiAnswer;
}

/** Creates a route. The path may contain placeholders, such as `/servers/:id/actions/:word`. */
export function route(method: string, path: string, run: Route['run']): Route {
  const pattern = path.replaceAll(':id', '(?<id>\\d+)').replace(':word', '(?<word>[a-z_]+)');
  return { method, pattern: new RegExp(`^${pattern}$`), run };
}

/**
 * Parses the body of a request.
 *
 * @throws ApiError invalid_input with the invalid fields
 */
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

/** Filters a list by `name` and `label_selector`, sorts it, and returns the requested page. */
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

/**
 * Changes a record's name and labels.
 *
 * @throws ApiError
 */
export function rename(record: { name: string; labels: Record<string, string> }, body: unknown): void {
  const { name, labels } = parse(namesAndLabels, body);
  if (labels !== undefined) {
    checkLabels(labels);
    record.labels = labels;
  }
  if (name !== undefined) record.name = name;
}
