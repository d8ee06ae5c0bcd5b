import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { ServiceState } from '#master/state/context/service-state.ts';

/** The nodes, as far as files of their services are concerned. */
export interface FileNodes {
  readonly runtimeOf: (node: string) => Pick<Runtime, 'listFiles' | 'describeFile' | 'readFile'>;
}

/** The folder of a service on its node. */
export interface LiveFiles {
  /** The node. */
  readonly node: string;
  readonly list: (folder: string, after: string | null) => ReturnType<Runtime['listFiles']>;
  readonly describe: (path: string) => ReturnType<Runtime['describeFile']>;
  readonly read: (path: string, piece: Parameters<Runtime['readFile']>[2]) => ReturnType<Runtime['readFile']>;
}

/**
 * Returns the files of a service while it is on a node.
 *
 * @throws OverworldError SERVICE_NOT_FOUND, SERVICE_HAS_NO_FILES
 */
export function liveFilesOf(
  id: ServiceId,
  { records, runtimeOf }: FileNodes & Pick<ServiceState, 'records'>,
): LiveFiles {
  const record = records.get(id);
  if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
  if (record.node === null) throw new OverworldError('SERVICE_HAS_NO_FILES', { service: id });
  const runtime = runtimeOf(record.node);
  return {
    node: record.node,
    list: (folder, after) => runtime.listFiles(id, folder, after),
    describe: (path) => runtime.describeFile(id, path),
    read: (path, piece) => runtime.readFile(id, path, piece),
  };
}
