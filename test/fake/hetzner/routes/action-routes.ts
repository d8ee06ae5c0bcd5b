import { invalidInput, notFound } from '../http/api-error.ts';
import type { ApiAnswer } from '../http/http-core.ts';
import { toPage, toSorted } from '../http/paging.ts';
import { route, type Call, type Route } from './route.ts';
import { toActionView, type ActionRecord, type World } from '../world/world.ts';

/**
 * Returns a page of the actions with one of the requested statuses. Without a requested status, returns a page of all
 * actions.
 */
export function actionPage(call: Call, all: readonly ActionRecord[]): ApiAnswer {
  const statuses = call.query.getAll('status');
  const found = all.filter(({ status }) => statuses.length === 0 || statuses.includes(status));
  const { items, meta } = toPage(toSorted(found, call.query), call.query);
  return { status: 200, body: { actions: items.map(toActionView), meta } };
}

export function actionRoutes({ actions }: World): Route[] {
  const find = (id: number): ActionRecord => {
    const action = actions.get(id);
    if (action === undefined) throw notFound(`action with ID '${id}'`);
    return action;
  };
  return [
    route('GET', '/actions', (call) => {
      const ids = call.query.getAll('id');
      // The API has required IDs since 2025-01-30, when listing all actions was removed.
      if (ids.length === 0)
        throw invalidInput("invalid input in field 'id'", [{ name: 'id', messages: ['is missing'] }]);
      return actionPage(
        call,
        ids.flatMap((id) => actions.get(Number(id)) ?? []),
      );
    }),
    route('GET', '/actions/:id', (call) => ({
      status: 200,
      body: { action: toActionView(find(call.id)) },
    })),
  ];
}
