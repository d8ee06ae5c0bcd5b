import type { Documents } from '../context/documents.ts';
import type { Environment } from '../context/environment.ts';
import type { Feed } from '../context/feed.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';

/** All that one round observes, decides on and changes. The loop alone takes it whole; all else takes the groups that it uses. */
export type LoopContext = Documents & Environment & NodeAccess & ServiceState & IngressAccess & Feed;
