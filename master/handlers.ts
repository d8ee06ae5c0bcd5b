import type { EventLog } from './store/event-log.ts';
import type { Handlers } from './admin/api.ts';
import { activityHandlers } from './admin/handlers/activity.ts';
import { configHandlers } from './admin/handlers/config.ts';
import { filesHandlers } from './admin/handlers/files.ts';
import { costsHandlers } from './admin/handlers/costs.ts';
import { historyHandlers } from './admin/handlers/history.ts';
import { keysHandlers, type KeyChange } from './admin/handlers/keys.ts';
import { masterHandlers, type MasterFacts } from './admin/handlers/master.ts';
import { nodesHandlers } from './admin/handlers/nodes.ts';
import { planHandlers } from './admin/handlers/plan.ts';
import { playersHandlers } from './admin/handlers/players.ts';
import { servicesHandlers } from './admin/handlers/services.ts';
import { templatesHandlers } from './admin/handlers/templates.ts';
import { wayInHandlers } from './admin/handlers/way-in.ts';
import type { KeyStore } from './admin/keys.ts';
import type { FileArea } from './admin/sftp/file-area.ts';
import type { Recorder } from './control/history/recorder.ts';
import type { Loop } from './control/loop.ts';
import type { Orders } from './control/orders.ts';
import type { Parts } from './control/parts.ts';
import { Renewals } from './control/renewals.ts';
import { PlayerOrders } from './control/way-in/player-orders.ts';
import { Wishes } from './control/wishes.ts';

/** What decides and acts, and what remembers it. */
export interface ControlSide {
  readonly loop: Loop;
  readonly orders: Orders;
  readonly recorder: Recorder;
}

/** What the admin side keeps for itself. */
export interface AdminSide {
  readonly keys: KeyStore;
  readonly facts: MasterFacts;
  readonly fileArea: FileArea;
}

/** What answers the admin API, put together from one file per noun. */
export function allHandlers(
  parts: Parts,
  { loop, orders, recorder }: ControlSide,
  { keys, facts, fileArea }: AdminSide,
): Handlers {
  const wishes = new Wishes(parts, loop);
  const renewals = new Renewals(parts, loop);
  const { shown, deletions, drains } = loop;
  const onKeyChange = (change: KeyChange): void => {
    tellKeyChange(parts.events, change);
    parts.topics.publish('keys');
  };
  return {
    ...masterHandlers(facts),
    ...configHandlers(parts),
    ...templatesHandlers({ parts, outlook: shown.outlook, wishes, renewals, deletions }),
    ...servicesHandlers({ parts, shown, orders, wishes, renewals, drains }),
    ...nodesHandlers({ parts, shown, wishes }),
    ...planHandlers(parts, shown),
    ...playersHandlers(parts, new PlayerOrders(parts)),
    ...wayInHandlers(parts),
    ...activityHandlers(parts.events),
    ...historyHandlers(recorder),
    ...costsHandlers(recorder),
    ...filesHandlers(fileArea, parts.events),
    ...keysHandlers(keys, onKeyChange),
  };
}

function tellKeyChange(events: EventLog, { kind, key, actor }: KeyChange): void {
  const verb = kind === 'key.added' ? `authorized as ${key.role}` : 'removed';
  events.add({
    kind,
    subject: { type: 'key', id: key.name },
    template: null,
    actor,
    message: `Key ${key.name} was ${verb}`,
    cause: `asked for by ${actor}`,
  });
}
