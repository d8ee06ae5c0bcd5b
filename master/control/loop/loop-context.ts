import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';

/**
 * All objects that one round reads or changes. Only the loop takes all of them; other functions take only the groups
 * that they use.
 */
export type LoopContext = Documents & Environment & NodeAccess & ServiceStores & IngressAccess & Feed;
