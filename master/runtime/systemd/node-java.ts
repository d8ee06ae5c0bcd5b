import { createReadStream } from 'node:fs';
import { featureOf } from '#shared/java-version.ts';
import { memoize } from '#shared/node/memoize.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';
import type { JavaPlatform } from '../java/adoptium.ts';
import type { JavaDownloads } from '../java/downloads.ts';
import { JavaProblem } from '../java/java-problem.ts';
import { provideJava, type InstalledJava } from '../java/provide-java.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { ServiceSpec } from '../runtime.ts';
import { ToolProblem, type NodeTool } from './node-tool.ts';
import { doneAnswer, javaListAnswer, javaPackageAnswer, type JavaList } from './tool-answers.ts';

/** Time for which the list of a node's versions is cached (ms). */
const LIST_BELIEVED_MS = 60_000;
/** Time limit of an installation from the node's packages (ms). */
const PACKAGE_TIMEOUT_MS = 600_000;
/**
 * Time limit of a transfer in addition to the time for its bytes (ms), and the slowest rate that is assumed
 * (bytes/ms).
 */
const STORE_TIMEOUT_MS = 120_000;
const SLOWEST_BYTES_PER_MS = 256;

/** Names of architectures (`uname -m`) in the words of the API for downloads. */
const ARCHITECTURES: Readonly<Record<string, JavaPlatform['architecture']>> = {
  x86_64: 'x64',
  aarch64: 'aarch64',
};

interface NodeJavaOptions {
  readonly node: string;
  readonly tool: Pick<NodeTool, 'call'>;
  /** Absent if nothing is installed on nodes. */
  readonly downloads: Pick<JavaDownloads, 'archive'> | undefined;
}

/**
 * The versions of Java on one node. A missing version comes from the node's packages, or else as an archive from the
 * master (docs/adr/0047-java-versions.md).
 */
export class NodeJava {
  readonly #options: NodeJavaOptions;
  readonly #lock = new KeyedLock();
  #list: () => Promise<JavaList | null>;

  constructor(options: NodeJavaOptions) {
    this.#options = options;
    this.#list = this.#cached();
  }

  /**
   * Returns the path of the `java` program for a service whose files contain none. Installs it if it is missing.
   *
   * @throws OverworldError as documented for `provideJava`, and for {@link NodeTool.call}
   */
  async pathFor(spec: Pick<ServiceSpec, 'java' | 'needsJava'>): Promise<string> {
    const { node, downloads } = this.#options;
    const list = async (): Promise<readonly InstalledJava[]> =>
      ((await this.#list())?.runtimes ?? []).map(({ path, version }) => ({
        path,
        // A Java of unknown version fits a jar whose required version is also unknown.
        feature: featureOf(version ?? '') ?? 0,
      }));
    const install = downloads === undefined ? null : (feature: number) => this.#install(feature, downloads);
    const looked = ["the template's jre/bin/java", '/usr/local/bin/java', '/usr/bin/java'];
    return (await provideJava(spec, { node, list, install, looked })).path;
  }

  /** Discards the cached list. Called when a Java in the list no longer exists. */
  forget(): void {
    this.#list = this.#cached();
  }

  #cached(): () => Promise<JavaList | null> {
    return memoize(
      () =>
        this.#options.tool.call({
          command: 'java_list',
          what: 'list its Java versions',
          request: {},
          answer: javaListAnswer,
        }),
      LIST_BELIEVED_MS,
    );
  }

  #install(feature: number, downloads: Pick<JavaDownloads, 'archive'>): Promise<void> {
    return this.#lock.run('install', async () => {
      const architecture = (await this.#list())?.architecture ?? '';
      const { installed, why } = await this.#options.tool.call({
        command: 'java_package',
        what: `install Java ${feature}`,
        request: { feature },
        answer: javaPackageAnswer,
        timeoutMs: PACKAGE_TIMEOUT_MS,
      });
      if (!installed) await this.#send(feature, { architecture, why }, downloads);
      this.forget();
    });
  }

  /** @param from architecture of the node, and why its packages could not be used */
  async #send(
    feature: number,
    { architecture, why }: { readonly architecture: string; readonly why: string },
    downloads: Pick<JavaDownloads, 'archive'>,
  ): Promise<void> {
    const known = ARCHITECTURES[architecture];
    if (known === undefined) throw new JavaProblem(`${why}, and there is no other build for ${architecture}`);
    const { build, path } = await downloads
      .archive(feature, { os: 'linux', architecture: known })
      .catch((error: unknown) => {
        const isOnMaster = !(error instanceof JavaProblem);
        throw new JavaProblem(`${why}, and ${whyNotDownloaded(error)}`, { cause: error, isOnMaster });
      });
    try {
      await this.#options.tool.call({
        command: 'java_store',
        what: `store Java ${feature}`,
        request: { name: build.release, size: build.size, sha256: build.sha256 },
        answer: doneAnswer,
        body: () => createReadStream(path, { highWaterMark: 1 << 18 }),
        timeoutMs: STORE_TIMEOUT_MS + build.size / SLOWEST_BYTES_PER_MS,
      });
    } catch (error) {
      if (error instanceof ToolProblem) throw new JavaProblem(error.message, { cause: error });
      throw error;
    }
  }
}

/**
 * Describes why the master has no Java to send. The disk is the master's, which the errors of disks do not say.
 * Rethrows any other error.
 */
function whyNotDownloaded(error: unknown): string {
  if (error instanceof JavaProblem) return error.message;
  if (error instanceof DiskReserveReached) return 'the disk of the master has no room for the download';
  if (isDiskFull(error)) return `the master cannot store the download: ${diskProblem(error)}`;
  throw error;
}
