import type { Documents } from '../context/documents.ts';
import type { Environment } from '../context/environment.ts';
import type { Feed } from '../context/feed.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';

/**
 * Everything that one round observes, decides on and changes. Only the loop takes all of it; other functions take
 * the groups that they use.
 */
export type LoopContext = Documents & Environment & NodeAccess & ServiceState & IngressAccess & Feed;
