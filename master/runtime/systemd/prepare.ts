import { readConfigs, readConfigText } from '#master/templates/configs/read-configs.ts';
import { SERVER_PROPERTIES } from '#master/templates/configs/server-properties.ts';
import type { ServiceConfigFile } from '#master/templates/configs/config-file.ts';
import { serviceConfigs } from '#master/templates/configs/service-configs.ts';
import type { DefaultFileReader } from '#master/templates/default-files/default-file-facts.ts';
import { DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import { diskProblem } from '#master/templates/disk-problem.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { PROCESS_OVERHEAD_MB } from '#shared/config/template.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { isPersistent } from '#shared/config/template.ts';
import { isGameServerSoftware } from '#shared/link/software.ts';
import { volumeOfService } from '#shared/model/volume.ts';
import { javaArguments } from '../java-arguments.ts';
import { persistentPatterns } from '../persistent-paths.ts';
import type { PortRange } from '#shared/port-range.ts';
import type { ProvidedFile, Provision, ServiceSpec } from '../runtime.ts';
import { readLayout, requirePlaces, sourceOf, type Layout } from './layout.ts';
import type { NodeJava } from './node-java.ts';
import { ToolProblem, type NodeTool } from './node-tool.ts';
import { SourceChanged } from './tar-stream.ts';
import type { TemplateSync } from './template-sync.ts';
import { doneAnswer, reserveAnswer } from './tool-answers.ts';

/** Time limit for creating a service's folder (ms); a large template on a slow disk takes long. */
const LAY_OUT_TIMEOUT_MS = 600_000;

export interface NodePrepareContext {
  readonly cluster: string;
  readonly provision: Provision;
  readonly tool: NodeTool;
  readonly sync: TemplateSync;
  readonly templates: Pick<TemplateFolders, 'lease'>;
  /** Folder of the shared files, `<data>/files`. */
  readonly sharedFiles: string;
  readonly defaultFiles: DefaultFileReader;
  readonly ports: PortRange;
  /** Ports of the range that no service gets. */
  readonly leaveFree: ReadonlySet<number>;
  readonly java: Pick<NodeJava, 'pathFor'>;
}

/** Path of the `java` program in a template that contains its own Java runtime. */
const OWN_JAVA = 'jre/bin/java';

/**
 * Creates a service's folder on the node. First reserves a port, and transfers the files that are missing on the
 * node. Then puts all files in place with their configuration. Finally writes the record that makes the service
 * startable.
 *
 * @throws OverworldError as documented for `Runtime.prepare`
 */
export async function prepareOnNode(spec: ServiceSpec, parts: NodePrepareContext): Promise<void> {
  try {
    const lease = await parts.templates.lease(spec.template, spec.revision);
    try {
      const { sharedFiles, defaultFiles, provision } = parts;
      const volume = provision.volume ?? null;
      const over = { folder: sharedFiles, reader: defaultFiles, given: provision.files, volume };
      const layout = await readLayout(spec, lease, over);
      requireServerJar(spec, layout);
      const hasOwn = layout.files.some(({ path }) => path === OWN_JAVA);
      const java = hasOwn ? null : await parts.java.pathFor(spec);
      await layOut(spec, layout, { ...parts, javaPath: java });
    } finally {
      lease.release();
    }
  } catch (error) {
    throw toPrepareError(error, spec, parts);
  }
}

function requireServerJar({ template }: ServiceSpec, { files }: Layout): void {
  if (files.some(({ path }) => path === 'server.jar')) return;
  if (files.some(({ path }) => path.startsWith('server.jar/')))
    throw new OverworldError('TEMPLATE_UNREADABLE', { template, why: 'server.jar is not a file' });
  throw new OverworldError('SERVER_JAR_MISSING', { template });
}

/** @param parts.javaPath path of the `java` program on the node; null for the service's own Java */
async function layOut(
  spec: ServiceSpec,
  layout: Layout,
  parts: NodePrepareContext & { readonly javaPath: string | null },
): Promise<void> {
  const { tool, sync, ports, leaveFree, cluster, provision, javaPath } = parts;
  const own = layout.ownProperties?.source;
  const ownProperties = typeof own === 'string' ? await readConfigText(own, SERVER_PROPERTIES) : null;
  const { forwarding, mayHaveProxy } = provision;
  const settings = { ...spec, forwarding, mayHaveProxy, ownProperties: ownProperties ?? '' };
  const { files, ...jar } = await readConfigs((path) => sourceOf(layout, path), settings);
  const configsAt = (port: number) => serviceConfigs(files, { ...settings, ...jar, port });
  const secrets = provision.files.filter(({ mode }) => mode === 0o600);
  // Refuses a configuration that cannot be written, before a port is reserved.
  requirePlaces(
    layout,
    configsAt(ports.from).map(({ path }) => path),
  );
  const { port, known } = await tool.call({
    command: 'reserve',
    what: `prepare ${spec.id}`,
    answer: reserveAnswer,
    request: {
      id: spec.id,
      layout: layout.id,
      firstPort: ports.from,
      lastPort: ports.to,
      leaveFree: [...leaveFree],
    },
  });
  if (!known) await sync.bring(layout, cacheKeyOf(spec));
  const call = {
    command: 'lay_out',
    what: `write the files of ${spec.id}`,
    answer: doneAnswer,
    request: {
      layout: layout.id,
      // `isProxy` is on by default, so the jar that the service gets decides, too (docs/adr/0056).
      isGame: !spec.isProxy || isGameServerSoftware(jar.software),
      closed: [...secrets.map(toText), ...configsAt(port)],
      record: {
        cluster,
        port,
        spec,
        launch: launchOf(spec, cluster, javaPath),
        persistent: persistentPatterns(spec.persistentPaths),
      },
    },
    timeoutMs: LAY_OUT_TIMEOUT_MS,
  };
  try {
    await tool.call(call);
  } catch (error) {
    if (!(error instanceof ToolProblem) || error.kind !== 'layout-missing') throw error;
    // Transfers the files again: the layout on the node is damaged, or another call that needed the space has
    // removed it.
    await tool.call({
      command: 'reserve',
      what: `prepare ${spec.id}`,
      answer: reserveAnswer,
      request: { id: spec.id, layout: layout.id, firstPort: port, lastPort: port },
    });
    await sync.bring(layout, cacheKeyOf(spec));
    await tool.call(call);
  }
}

/**
 * Returns the key under which the node's cache stores the newest files of a service. Each service with persistent
 * paths has its own key, because its files differ from the files of other services.
 */
function cacheKeyOf(spec: ServiceSpec): string {
  return isPersistent(spec) ? volumeOfService(spec.id) : spec.template;
}

/** Converts a file to text with one character per byte (Latin-1), which is the form of configuration files. */
function toText({ path, content }: ProvidedFile): ServiceConfigFile {
  return { path, text: content.toString('latin1') };
}

/** Returns the settings with which the unit runs the service (tool/start.py). */
function launchOf(spec: ServiceSpec, cluster: string, java: string | null) {
  return {
    java,
    arguments: javaArguments(spec),
    memoryMaxMb: spec.maxJvmMemoryMb + PROCESS_OVERHEAD_MB,
    environment: {
      OVERWORLD_CLUSTER: cluster,
      OVERWORLD_SERVICE: spec.id,
      OVERWORLD_TEMPLATE: spec.template,
    },
  };
}

function toPrepareError(
  error: unknown,
  { id, template }: ServiceSpec,
  { ports }: Pick<NodePrepareContext, 'ports'>,
): OverworldError {
  if (error instanceof OverworldError) return toOverworldError(error);
  if (error instanceof ToolProblem && error.kind === 'no-port') {
    return new OverworldError('PORT_NONE_FREE', ports, error);
  }
  if (error instanceof DefaultFileProblem && error.kind === 'unusable') {
    return new OverworldError('TEMPLATE_UNREADABLE', { template, why: error.message }, error);
  }
  if (error instanceof ToolProblem && error.kind === 'changed') {
    const why = 'a default service file is being written to, or a stored file is damaged';
    return new OverworldError('TEMPLATE_UNREADABLE', { template, why }, error);
  }
  if (error instanceof DefaultFileProblem || error instanceof SourceChanged)
    return new OverworldError('TEMPLATE_UNREADABLE', { template, why: error.message }, error);
  if (!(error instanceof ToolProblem))
    return new OverworldError('TEMPLATE_UNREADABLE', { template, why: diskProblem(error) }, error);
  const why = error.message;
  return new OverworldError('PREPARE_FAILED', { service: id, why }, error);
}
