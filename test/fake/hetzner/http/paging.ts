import { invalidInput } from './api-error.ts';

const DEFAULT_PER_PAGE = 25;
const MAX_PER_PAGE = 50;

/**
 * Returns one page of a list, with the API's `meta` (docs/adr/0018).
 *
 * @throws ApiError invalid_input
 */
export function toPage<T>(all: readonly T[], query: URLSearchParams): { items: T[]; meta: object } {
  const page = toNumber(query, 'page', 1);
  const perPage = toNumber(query, 'per_page', DEFAULT_PER_PAGE);
  if (perPage > MAX_PER_PAGE) throw faulty('per_page', `must be at most ${MAX_PER_PAGE}`);
  const lastPage = Math.max(1, Math.ceil(all.length / perPage));
  const pagination = {
    page,
    per_page: perPage,
    previous_page: page > 1 ? Math.min(page - 1, lastPage) : null,
    next_page: page < lastPage ? page + 1 : null,
    last_page: lastPage,
    total_entries: all.length,
  };
  return { items: all.slice((page - 1) * perPage, page * perPage), meta: { pagination } };
}

function toNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw faulty(name, 'must be a number from 1');
  return Number(text);
}

function faulty(name: string, message: string): Error {
  return invalidInput(`invalid input in field '${name}'`, [{ name, messages: [message] }]);
}

/**
 * Sorts a list by the parameter `sort=field` or `sort=field:desc`. If the parameter occurs several times, only the
 * first one counts. Without the parameter, sorts by ID.
 */
export function toSorted<T extends { readonly id: number }>(all: readonly T[], query: URLSearchParams): T[] {
  const [field = 'id', direction = 'asc'] = (query.get('sort') ?? 'id').split(':');
  const valueOf = (item: T): string | number => {
    const value = (item as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'number' || typeof value === 'string' ? value : item.id;
  };
  const sign = direction === 'desc' ? -1 : 1;
  return all.toSorted((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return sign * (x < y ? -1 : x > y ? 1 : a.id - b.id);
  });
}
