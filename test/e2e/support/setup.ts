import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import type { TemplateConfig } from '#shared/config/template.ts';
import { methods, type MethodName, type Params, type Result } from '#shared/rpc/contract.ts';
import { askApp } from '#test/support/app/open-app.ts';
import { practiceProxyJar } from '#test/support/players/practice-proxy.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Template settings with which a practice server starts quickly and several fit on a busy machine. */
const SMALL: Partial<TemplateConfig> = { isProxy: false, minJvmMemory: 32, maxJvmMemory: 128, maxPlayers: 5 };

/** Prepares the initial state of a test through the admin API and on disk, and not through the window. */
export class Setup {
  readonly #window: Page;
  readonly #data: string;

  constructor(window: Page, data: string) {
    this.#window = window;
    this.#data = data;
  }

  /** Creates a template whose folder contains the practice server, so that services can start. */
  async template(id: string, config: Partial<TemplateConfig> = {}): Promise<void> {
    await this.templateWithoutJar(id, config);
    await this.jar(id);
  }

  async templateWithoutJar(id: string, config: Partial<TemplateConfig> = {}): Promise<void> {
    await this.call('templates.create', { id, config: { name: id, ...SMALL, ...config } });
  }

  /** Creates a template whose folder contains the practice proxy. */
  async proxyTemplate(id: string, config: Partial<TemplateConfig> = {}): Promise<void> {
    await this.templateWithoutJar(id, { isProxy: true, maxPlayers: 50, ...config });
    await this.jar(id, await practiceProxyJar());
  }

  /** Copies a jar (default: the practice server) into a template's folder on the master's disk. */
  async jar(id: string, jar?: string): Promise<void> {
    await copyFile(jar ?? (await practiceServerJar()), join(this.folder(id), 'server.jar'));
    await waitFor(
      async () => {
        const template = (await this.call('templates.list', {})).find((other) => other.id === id);
        return template?.files.jar !== null && template?.files.revision !== null;
      },
      { what: `the master to know server.jar of ${id}` },
    );
  }

  /** Returns a template's folder on the master's disk. */
  folder(id: string, ...parts: readonly string[]): string {
    return join(this.#data, 'master', 'templates', id, ...parts);
  }

  /** Returns the folder with the files of a service that runs on the master's own machine. */
  serviceFolder(id: string): string {
    return join(this.#data, 'master', 'services', id, 'files');
  }

  /** Returns the path of a template's configuration on the master's disk. */
  configFile(id: string): string {
    return join(this.#data, 'master', 'config', 'templates', `${id}.json`);
  }

  /** Calls the master's admin API through the window's own bridge. */
  async call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    const result = await askApp(this.#window, 'rpc.call', { method, params });
    return methods[method].result.parse(result) as Result<M>;
  }
}
