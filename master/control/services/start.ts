import type { LoopContext } from '../loop/loop-context.ts';
import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { isPersistent, type TemplateConfig } from '#shared/config/template.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Volume } from '#master/volumes/volume.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import { countFailure, fail } from './fail.ts';
import { hasStatusOff } from './start-timeout.ts';
import { noteLogEnd } from './unpinged-start.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import { backToRequested, type ServiceRecord } from '#master/state/services/records.ts';
import { startFrom, type StartedFrom } from '#master/state/services/started-from.ts';
import { serverJarOf } from '#master/templates/server-jar.ts';
import type { ServerJarFacts } from '#master/templates/template-files.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';
import { currentSetup, mayHaveProxy, provide } from '#master/ingress/service-setup.ts';

/** A service that was placed on a node. Its start begins once its record is on disk. */
export interface Start {
  readonly record: ServiceRecord;
  /**
   * Configuration of its template when it was placed. The service starts with these values, because it got RAM on its
   * node for them.
   */
  readonly config: TemplateConfig;
  readonly cause: string;
}

/**
 * Marks a service as placed on a node. Synchronous, so that the next decision of the same round already counts the
 * service there. The caller has to save the records before it calls {@link prepareAndStart}.
 *
 * @returns configuration of its template. Null if the template has no revision; nothing is changed then
 * @throws OverworldError TEMPLATE_NOT_FOUND
 */
export function placeOn(
  node: string,
  record: ServiceRecord,
  context: Documents & Pick<Environment, 'now'> & Pick<IngressAccess, 'balancer' | 'supplies' | 'proxies'>,
): TemplateConfig | null {
  const { config } = context.config.template(record.template);
  const { revision } = context.templates.state(record.template);
  if (revision === null) return null;
  record.node = node;
  record.waiting = null;
  record.placed = startFrom(config, revision, currentSetup(record.template, config, context));
  record.players = { online: 0, max: config.maxPlayers };
  record.state = 'PREPARING';
  record.since = context.now();
  return config;
}

/** Undoes {@link placeOn} for a service whose start has not begun. */
export function undoPlacement(record: ServiceRecord): void {
  backToRequested(record, record.requestedAt);
}

/**
 * Prepares a placed service's files and starts its process, unless a stop is requested in the meantime. A failed
 * start is stored in the record and reported, and the next attempt is scheduled.
 *
 * @throws OverworldError as documented for {@link fail}, if the failure could not be stored
 */
export async function prepareAndStart({ record, config, cause }: Start, context: LoopContext): Promise<void> {
  const { node, placed } = record;
  if (node === null || placed === null) return;
  const runtime = context.runtimeOf(node);
  // Only a failure of a step on the node can be the node's fault.
  let isOnMaster = true;
  const onNode = async <T>(step: () => Promise<T>): Promise<T> => {
    isOnMaster = false;
    const result = await step();
    isOnMaster = true;
    return result;
  };
  try {
    emitServiceEvent(context.events, record, {
      kind: 'service.preparing',
      message: `${record.id} is being prepared on ${node}`,
      cause,
    });
    const forwarding = await context.proxies.readNow();
    await context.sharedFiles.read(config.defaultServiceFiles);
    const given = currentSetup(record.template, config, context);
    const files = { revision: placed.revision, values: config };
    record.placed = { ...placed, given, statusOff: await hasStatusOff(record.template, files, context) };
    // This value is stored with the process, so that the next master can read it.
    record.placed = { ...record.placed, logEnd: await noteLogEnd(record, context) };
    const jar = serverJarOf(record.template, config, context);
    const spec = toSpec({ record, config }, record.placed, jar);
    const volume = isPersistent(spec) ? await attachVolume(record.id, node, context) : null;
    const lease = (await volume?.lease()) ?? null;
    try {
      const facts = { id: spec.id, isProxy: spec.isProxy, software: jar.software };
      const own = { mayHaveProxy: mayHaveProxy(context), volume: lease };
      const provided = { ...provide(facts, forwarding, context), ...own };
      await onNode(() => runtime.prepare(spec, provided));
    } finally {
      lease?.release();
    }
    // A stop was requested in the meantime. It waits for this function and then finds no process.
    if (record.stopping !== null) return;
    record.state = 'STARTING';
    record.since = context.now();
    // From now on, there may be data that is not saved.
    await volume?.markStarted(record.id, node);
    const process = await onNode(() => runtime.start(record.id));
    record.pid = process.pid;
    record.startedAt = process.startedAt;
    record.address = { host: process.host, port: process.port };
    const message = `${record.id} starts on ${node}, port ${process.port}`;
    emitServiceEvent(context.events, record, { kind: 'service.starting', message, cause });
  } catch (thrown) {
    const error = toOverworldError(thrown);
    if (error.code === 'NODE_UNREACHABLE') {
      // It is unknown how far the start got. The next observation of the node shows it. If no process runs there, the
      // start is repeated.
      context.log.warn({ err: thrown, service: record.id }, 'a start was interrupted');
      countFailure(record, { error }, context);
      return;
    }
    if (error.code === 'INTERNAL') context.log.error({ err: thrown, service: record.id }, 'start failed');
    await fail(record, { error, isOnMaster: isMasterFault(error) || isOnMaster }, context);
  }
}

/** Reports whether a step on a node failed because of the master's own machine. */
function isMasterFault(error: OverworldError): boolean {
  return hasCode(error, 'JAVA_UNAVAILABLE') && error.details.isOnMaster === true;
}

/**
 * Makes a service on a node the only writer of its volume.
 *
 * @throws OverworldError VOLUME_IN_USE if another node has data of the volume that is not saved; DISK_FULL
 */
async function attachVolume(
  service: ServiceSpec['id'],
  node: string,
  { volumes }: Pick<ServiceStores, 'volumes'>,
): Promise<Volume> {
  const volume = await volumes.make(service);
  await volume.attach(service, node);
  return volume;
}

/** Builds the description of a service that its node receives. */
function toSpec(
  { record, config }: Pick<Start, 'record' | 'config'>,
  { revision, given, statusOff, logEnd }: StartedFrom,
  { needsJava }: Pick<ServerJarFacts, 'needsJava'>,
): ServiceSpec {
  return {
    id: record.id,
    template: record.template,
    revision,
    minJvmMemoryMb: config.minJvmMemory,
    maxJvmMemoryMb: config.maxJvmMemory,
    isProxy: config.isProxy,
    behindProxy: given.forwarding !== null,
    ...given,
    maxPlayers: config.maxPlayers,
    java: config.java,
    needsJava,
    jvmArguments: config.jvmArguments,
    environment: config.environment,
    statusOff,
    logEnd,
    defaultServiceFiles: config.defaultServiceFiles,
    persistentPaths: config.persistentPaths,
    stopTimeoutS: config.stopTimeout,
    cause: record.cause,
    requestedAt: record.requestedAt,
  };
}
