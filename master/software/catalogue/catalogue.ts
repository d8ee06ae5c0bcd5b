import { OverworldError } from '#shared/errors/overworld-error.ts';
import {
  softwareTraits,
  type PublishedBuild,
  type PublishedVersion,
  type SoftwareChoice,
} from '#shared/model/software.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { PublishedSoftware, SoftwareSource } from '../source.ts';
import { fabric } from './fabric.ts';
import { HttpSource } from './http-source.ts';
import { papermc } from './papermc.ts';
import { purpur } from './purpur.ts';
import { toUserAgent } from './user-agent.ts';
import { vanilla } from './vanilla.ts';

/** Time for which a list is used before it is requested again (ms). */
const LIST_AGE_MS = 10 * 60_000;

/** Maximum number of lists in memory. */
const MAX_LISTS = 200;

/** A publisher: its addresses, and the client of its API. */
interface Publisher {
  readonly baseUrl: string;
  readonly jarHosts: readonly string[];
  readonly open: (http: HttpSource) => SoftwareSource;
}

const publishers = {
  papermc: {
    baseUrl: 'https://fill.papermc.io/v3',
    jarHosts: ['fill-data.papermc.io'],
    open: papermc,
  },
  purpur: { baseUrl: 'https://api.purpurmc.org/v2', jarHosts: [], open: purpur },
  vanilla: {
    baseUrl: 'https://piston-meta.mojang.com',
    jarHosts: ['piston-data.mojang.com', 'launcher.mojang.com'],
    open: vanilla,
  },
  fabric: { baseUrl: 'https://meta.fabricmc.net/v2', jarHosts: [], open: fabric },
} as const satisfies Record<string, Publisher>;

type PublisherId = keyof typeof publishers;

const publisherOf: Readonly<Record<PublishedSoftware, PublisherId>> = {
  velocity: 'papermc',
  waterfall: 'papermc',
  paper: 'papermc',
  folia: 'papermc',
  purpur: 'purpur',
  vanilla: 'vanilla',
  fabric: 'fabric',
};

/** The opened client of a publisher, and the HTTP connection for downloads from the publisher. */
interface OpenedPublisher {
  readonly http: HttpSource;
  readonly source: SoftwareSource;
}

export interface CatalogueOptions {
  /** Address of a mirror, which is used in place of the publishers. It has the API of each publisher as a folder. */
  readonly mirror?: string | undefined;
  /** E-mail address or URL at which publishers reach the person who runs the master. */
  readonly contact?: string | undefined;
}

/** The server software that publishers offer. A list is requested from its publisher only when it is needed. */
export class SoftwareCatalogue {
  readonly #mirror: string | undefined;
  readonly #userAgent: string;
  readonly #opened = new Map<PublisherId, OpenedPublisher>();
  readonly #lists = new Map<
    string,
    { readonly readAt: number; readonly list: Promise<readonly unknown[]> }
  >();

  constructor({ mirror, contact }: CatalogueOptions = {}) {
    this.#userAgent = toUserAgent(contact);
    this.#mirror = mirror?.replace(/\/+$/, '');
  }

  /** Returns the client of the publisher of some software. */
  publisher(software: PublishedSoftware): OpenedPublisher {
    const id = publisherOf[software];
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const { baseUrl, jarHosts, open } = publishers[id];
    const http = new HttpSource({
      publisher: publisherName(software),
      baseUrl: this.#mirror === undefined ? baseUrl : `${this.#mirror}/${id}`,
      jarHosts,
      userAgent: this.#userAgent,
    });
    const opened = { http, source: open(http) };
    this.#opened.set(id, opened);
    return opened;
  }

  /** Lists versions, newest first. A list is kept for 10 minutes. Throws the errors of HttpSource. */
  versions(software: PublishedSoftware): Promise<readonly PublishedVersion[]> {
    return this.#listed(software, () => this.publisher(software).source.versions(software));
  }

  /** Lists builds of a version, newest first. A list is kept for 10 minutes. Throws the errors of HttpSource. */
  builds(software: PublishedSoftware, version: string): Promise<readonly PublishedBuild[]> {
    return this.#listed(`${software} ${version}`, () =>
      this.publisher(software).source.builds(software, version),
    );
  }

  /**
   * Completes a choice. If the version is missing, the newest stable version is chosen. If the build is missing, the
   * newest stable build of the version is chosen. If none is stable, the newest one is chosen.
   *
   * @throws OverworldError SOFTWARE_NOT_FOUND and the errors of HttpSource
   */
  async complete(
    software: PublishedSoftware,
    { version, build }: Pick<SoftwareChoice, 'version' | 'build'>,
  ): Promise<SoftwareChoice & { readonly version: string }> {
    const chosen = version ?? newest(await this.versions(software))?.version;
    const { title } = softwareTraits[software];
    const publisher = publisherName(software);
    if (chosen === undefined) throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher, what: title });
    if (build !== null) return { software, version: chosen, build };
    const found = newest(await this.builds(software, chosen));
    if (found === undefined) {
      throw new OverworldError('SOFTWARE_NOT_FOUND', { publisher, what: `a build of ${title} ${chosen}` });
    }
    return { software, version: chosen, build: found.build };
  }

  async #listed<T>(key: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const known = this.#lists.get(key);
    // The same key always has a list of the same type.
    if (known !== undefined && monotonicMs() - known.readAt < LIST_AGE_MS)
      return known.list as Promise<readonly T[]>;
    const list = read();
    this.#lists.set(key, { readAt: monotonicMs(), list });
    if (this.#lists.size > MAX_LISTS) this.#lists.delete(this.#lists.keys().next().value ?? key);
    // A failed request is not cached, so that the next call tries again.
    list.catch(() => {
      if (this.#lists.get(key)?.list === list) this.#lists.delete(key);
    });
    return list;
  }
}

/** Returns the newest stable entry, or the newest one if none is stable. Undefined for an empty list. */
function newest<T extends { readonly stable: boolean }>(list: readonly T[]): T | undefined {
  return list.find(({ stable }) => stable) ?? list[0];
}

function publisherName(software: PublishedSoftware): string {
  return softwareTraits[software].publisher ?? software;
}
