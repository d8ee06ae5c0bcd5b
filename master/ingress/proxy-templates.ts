import { softwareFamily } from '#shared/link/software.ts';
import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Forwarding } from '#master/runtime/runtime.ts';
import type { ProxyKind } from '#master/templates/configs/proxy-kind.ts';
import { forwardingOf, readProxySettings, type ProxySettings } from '#master/templates/configs/forwarding.ts';
import type { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import { serverJarOf } from '#master/templates/server-jar.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import { UnreadTemplates } from './unread-templates.ts';

type Known = Pick<Documents, 'config' | 'templates'> & Pick<Environment, 'log'>;

interface ProxyTemplatesOptions extends Known {
  readonly sharedFiles: Pick<SharedFiles, 'folder' | 'read' | 'serverJar'>;
  /** The network's forwarding secret. Only proxies and game servers get it. */
  readonly secret: string;
}

/**
 * The part of {@link ProxyTemplates} that other modules use: which templates are proxies, and how players are
 * forwarded.
 */
export type Proxies = Pick<
  ProxyTemplates,
  'forwarding' | 'isRead' | 'areKnown' | 'kindOf' | 'update' | 'readNow'
>;

/** Settings that were read from a template, and the revision and `defaultServiceFiles` from which they were read. */
interface Read {
  readonly revision: string;
  readonly entries: readonly FileEntry[];
  readonly settings: ProxySettings;
}

/**
 * Finds the templates with known proxy software, and how their proxies forward player identities to game servers.
 * Reads the templates' files again when they change.
 */
export class ProxyTemplates {
  readonly #options: ProxyTemplatesOptions;
  readonly #read = new Map<TemplateId, Read>();
  readonly #unread: UnreadTemplates;
  #forwarding: Forwarding | null = null;
  #reading: Promise<void> | null = null;
  #isRead = false;
  #areKnown = false;

  constructor(options: ProxyTemplatesOptions) {
    this.#options = options;
    this.#unread = new UnreadTemplates(options);
  }

  /** How player identities are forwarded, as last read; null if there is no known proxy. */
  get forwarding(): Forwarding | null {
    return this.#forwarding;
  }

  /**
   * Whether all templates had been read in their current state at the last call of {@link update}. If false, the
   * results are incomplete.
   */
  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * Whether this master knows which of its templates are proxies: it has tried to read all of them, and has waited up
   * to 10 s for those whose software is unknown. Stays true, because templates that change later have been read before,
   * and new ones have no services yet.
   */
  get areKnown(): boolean {
    return this.#areKnown;
  }

  /** Returns the proxy software of a template's `server.jar`. Null if it is not a known proxy. */
  kindOf(template: TemplateId): ProxyKind | null {
    return this.#read.get(template)?.settings.kind ?? this.#kindByJar(template);
  }

  /** Starts to read changed templates, without waiting for the result. Call it in every round. */
  update(): void {
    this.#unread.update();
    // The forwarding is computed even if no file is read, because it also depends on the jars of the game servers,
    // which are already known.
    this.#forwarding = this.#compute();
    const changed = this.#changed();
    const { isWaiting } = this.#unread;
    const isRead = changed.length === 0 && this.#unreadShared().length === 0;
    this.#isRead = isRead && this.#reading === null && !isWaiting;
    this.#areKnown ||= this.#isRead;
    if (changed.length === 0 || this.#reading !== null) return;
    this.#reading = this.#readThese(changed)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'proxy templates could not be read'))
      .finally(() => {
        this.#reading = null;
        this.#areKnown ||= !isWaiting;
      });
  }

  /**
   * Reads all proxy templates again before a service starts. This includes shared files, whose changes are not
   * reported. Waits up to 10 s for templates whose software is unknown: a service that starts too early would keep a
   * wrong setup until its next start.
   *
   * @returns how player identities are forwarded; null if there is no known proxy
   */
  async readNow(): Promise<Forwarding | null> {
    await this.#unread.read();
    const { log, sharedFiles } = this.#options;
    for (const entries of this.#unreadShared()) {
      // These may be files of any template. Only the services that get them must not start without them.
      await sharedFiles
        .read(entries)
        .catch((error: unknown) => log.warn({ err: error }, 'shared files could not be read'));
    }
    await this.#readThese([...this.#proxies()].map(([id]) => id));
    return this.#forwarding;
  }

  async #readThese(ids: readonly TemplateId[]): Promise<void> {
    const { templates, sharedFiles } = this.#options;
    const proxies = this.#proxies();
    for (const id of this.#read.keys()) if (!proxies.has(id)) this.#read.delete(id);
    for (const id of ids) {
      const now = proxies.get(id);
      if (now === undefined) continue;
      const source = { id, revision: now.revision, defaultServiceFiles: now.entries };
      const settings = await readProxySettings(source, { templates, sharedFiles: sharedFiles.folder });
      this.#read.set(id, { ...now, settings: this.#orByJar(id, settings) });
    }
    this.#forwarding = this.#compute();
  }

  /**
   * Returns the given settings, which were just read from a template. If the files could not be read, but the jar
   * shows that the template is a proxy, returns the settings that were read before instead. If there are none,
   * returns the given settings with the proxy software of the jar.
   */
  #orByJar(id: TemplateId, settings: ProxySettings): ProxySettings {
    const kind = settings.kind ?? this.#kindByJar(id);
    return kind === settings.kind ? settings : (this.#read.get(id)?.settings ?? { ...settings, kind });
  }

  #compute(): Forwarding | null {
    const { config, secret } = this.#options;
    const gameServers = [...config.templates]
      .filter(([, { state }]) => !state.config.isProxy)
      .map(([id, { state }]) => serverJarOf(id, state.config, this.#options).software);
    return forwardingOf(
      { proxies: [...this.#read.values()].map(({ settings }) => settings), gameServers },
      secret,
    );
  }

  /** Returns the templates that are configured as proxies and have files, or had files that could be used. */
  #proxies(): Map<TemplateId, Pick<Read, 'revision' | 'entries'>> {
    const { config, templates } = this.#options;
    const proxies = new Map<TemplateId, Pick<Read, 'revision' | 'entries'>>();
    for (const [id, { state }] of config.templates) {
      // Its running proxies stay proxies while its folder cannot be used.
      const revision = templates.state(id).usable?.revision;
      if (state.config.isProxy && revision !== undefined)
        proxies.set(id, { revision, entries: state.config.defaultServiceFiles });
    }
    return proxies;
  }

  #changed(): TemplateId[] {
    const proxies = this.#proxies();
    const gone = [...this.#read.keys()].filter((id) => !proxies.has(id));
    const other = [...proxies].filter(([id, { revision, entries }]) => {
      const before = this.#read.get(id);
      return before?.revision !== revision || before.entries !== entries;
    });
    return [...gone, ...other.map(([id]) => id)];
  }

  /** Returns the lists of `defaultServiceFiles` whose files have not been read yet. */
  #unreadShared(): (readonly FileEntry[])[] {
    const { config, sharedFiles } = this.#options;
    return [...config.templates.values()]
      .map(({ state }) => state.config.defaultServiceFiles)
      .filter((entries) => sharedFiles.serverJar(entries) === undefined);
  }

  #kindByJar(template: TemplateId): ProxyKind | null {
    const document = this.#options.config.templates.get(template);
    const config = document?.state.config ?? { defaultServiceFiles: [] };
    const family = softwareFamily(serverJarOf(template, config, this.#options).software);
    return family === 'velocity' || family === 'bungeecord' ? family : null;
  }
}
