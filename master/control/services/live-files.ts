import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { KeyedSlots } from '#shared/node/keyed-slots.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';

/**
 * Maximum number of concurrent calls to one node about files, for all users together. These calls share the
 * connection to the node with consoles and commands, which must not wait for them.
 */
const PARALLEL_CALLS = 2;

/**
 * Creates the slots that limit calls about files, one group for each node. All callers must share the returned
 * object.
 */
export function fileCallSlots(): KeyedSlots {
  return new KeyedSlots(PARALLEL_CALLS);
}

/** The part of the nodes that is needed to read files of services. */
export interface FileNodes extends Pick<NodeAccess, 'fileCalls'> {
  readonly runtimeOf: (node: string) => Pick<Runtime, 'listFiles' | 'describeFile' | 'readFile'>;
}

/** The folder of a service on its node. */
export interface LiveFiles {
  readonly list: (folder: string, after: string | null) => ReturnType<Runtime['listFiles']>;
  readonly describe: (path: string) => ReturnType<Runtime['describeFile']>;
  readonly read: (path: string, piece: Parameters<Runtime['readFile']>[2]) => ReturnType<Runtime['readFile']>;
}

/**
 * Returns access to the files of a service while it is on a node. Each call waits for a slot of the node
 * ({@link fileCallSlots}).
 *
 * @param signal cancels calls that still wait for a slot; they then throw the signal's reason
 * @throws OverworldError SERVICE_NOT_FOUND, SERVICE_HAS_NO_FILES
 */
export function liveFilesOf(
  id: ServiceId,
  { records, runtimeOf, fileCalls }: FileNodes & Pick<ServiceStores, 'records'>,
  signal: AbortSignal,
): LiveFiles {
  const record = records.get(id);
  if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
  if (record.node === null) throw new OverworldError('SERVICE_HAS_NO_FILES', { service: id });
  const { node } = record;
  const runtime = runtimeOf(node);
  return {
    list: (folder, after) => fileCalls.run(node, () => runtime.listFiles(id, folder, after), signal),
    describe: (path) => fileCalls.run(node, () => runtime.describeFile(id, path), signal),
    read: (path, piece) => fileCalls.run(node, () => runtime.readFile(id, path, piece), signal),
  };
}
