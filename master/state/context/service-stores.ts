import type { Pinger } from '../pings/pinger.ts';
import type { Adoptions } from '../services/adoptions.ts';
import type { Evictions } from '../services/evictions.ts';
import type { RecordStore } from '../services/record-store.ts';
import type { Volumes } from '#master/volumes/volumes.ts';
import type { StartBackoffs } from '../services/start-backoffs.ts';

/** The records of all services, and data about services that the control loop keeps between rounds. */
export interface ServiceStores {
  readonly records: RecordStore;
  readonly adoptions: Adoptions;
  readonly evictions: Evictions;
  readonly startBackoffs: StartBackoffs;
  readonly pinger: Pinger;
  readonly volumes: Volumes;
}
