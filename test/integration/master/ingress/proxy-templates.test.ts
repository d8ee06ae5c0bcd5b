import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import { ProxyTemplates } from '#master/ingress/proxy-templates.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { openTemplateFolders } from '#master/templates/template-folders.ts';
import { disguisedJar } from '#test/support/java/disguised-jar.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** The templates of a network on disk, in the state that a master finds when it starts. */
class Network {
  readonly data = temporaryFolder();
  readonly #folders = join(this.data, 'templates');

  static async of(templates: Readonly<Record<string, string | null>>): Promise<Network> {
    const network = new Network();
    await mkdir(join(network.data, 'config', 'templates'), { recursive: true });
    for (const [id, title] of Object.entries(templates)) {
      const defaultServiceFiles = id.startsWith('shared') ? [{ path: 'server.jar', destination: './' }] : [];
      const config = templateConfigSchema.parse({ isProxy: id.startsWith('gate'), defaultServiceFiles });
      await writeFile(join(network.data, 'config', 'templates', `${id}.json`), JSON.stringify(config));
      await mkdir(join(network.#folders, id), { recursive: true });
      if (title !== null) await network.upload(id, title);
    }
    return network;
  }

  async upload(id: string, title: string): Promise<void> {
    await copyFile(await disguisedJar(title), join(this.#folders, id, 'server.jar'));
  }

  /**
   * Opens the components of a master that has just started and has not read any template.
   *
   * @param replaced methods of the template folders that the test replaces
   * @param read replaces the method of the shared files
   */
  async open(replaced: Partial<Pick<TemplateFolders, 'lease'>> = {}, read?: SharedFiles['read']) {
    const config = await ConfigStore.open(this.data, () => undefined);
    const revisions = join(this.data, 'revisions');
    const templates = await openTemplateFolders({ root: this.#folders, revisions, quietMs: 300 });
    onTestFinished(async () => {
      config.close();
      await templates.close();
    });
    const sharedFiles = new SharedFiles(join(this.data, 'files'), () => undefined);
    onTestFinished(() => sharedFiles.close());
    if (read !== undefined) sharedFiles.read = read;
    const options = { config, templates: { ...templates, ...replaced }, sharedFiles, secret: 's' };
    return { templates, proxies: new ProxyTemplates({ ...options, log: pino({ level: 'silent' }) }) };
  }
}

describe('the kind of player forwarding between proxies and game servers', () => {
  it('is determined before a new master starts its first service', async () => {
    const network = await Network.of({ gate: 'BungeeCord-Bootstrap', lobby: 'CraftBukkit' });
    const { proxies } = await network.open();
    expect((await proxies.readNow())?.kind).toBe('legacy');
  });

  it('is "modern" only if every game server is known to support it', async () => {
    const network = await Network.of({ gate: 'Velocity', lobby: 'CraftBukkit' });
    const { proxies } = await network.open();
    expect((await proxies.readNow())?.kind).toBe('legacy');
  });

  it('depends on the jars of game servers that come from shared files', async () => {
    const network = await Network.of({ gate: 'Velocity', shared: null });
    await mkdir(join(network.data, 'files'));
    await copyFile(await disguisedJar('CraftBukkit'), join(network.data, 'files', 'server.jar'));
    const { proxies } = await network.open();
    expect((await proxies.readNow())?.kind).toBe('legacy');
  });

  it('is determined even if shared files of some template cannot be read', async () => {
    const network = await Network.of({ gate: 'BungeeCord-Bootstrap', shared: null });
    const { proxies } = await network.open({}, () => Promise.reject(new Error('no permission')));
    expect((await proxies.readNow())?.kind).toBe('legacy');
  });

  it('is determined again once the software of a game server is known', async () => {
    const network = await Network.of({ gate: 'Velocity', lobby: null });
    const { proxies, templates } = await network.open();
    await waitFor(() => !templates.state('gate').changing && !templates.state('lobby').changing);
    const sees = (kind: string) => () => {
      proxies.update();
      return proxies.forwarding?.kind === kind;
    };
    await waitFor(sees('modern'));
    await network.upload('lobby', 'CraftBukkit');
    await waitFor(sees('legacy'));
  });

  it('is determined from a proxy template even while it is being uploaded', async () => {
    const network = await Network.of({ gate: null, lobby: 'CraftBukkit' });
    const { proxies, templates } = await network.open();
    await waitFor(() => !templates.state('gate').changing);
    await network.upload('gate', 'BungeeCord-Bootstrap');
    await waitFor(() => templates.state('gate').changing);
    expect((await proxies.readNow())?.kind).toBe('legacy');
  });

  it('is unknown while files of a template are being read', async () => {
    const network = await Network.of({ gate: 'BungeeCord-Bootstrap', lobby: 'CraftBukkit' });
    const { proxies, templates } = await network.open();
    proxies.update();
    expect(proxies.isRead).toBe(false);
    const sees = (isRead: boolean) => () => {
      proxies.update();
      return proxies.isRead === isRead;
    };
    await waitFor(sees(true));
    expect(proxies.forwarding?.kind).toBe('legacy');
    await writeFile(join(network.data, 'templates', 'gate', 'config.yml'), 'ip_forward: false\n');
    await waitFor(() => templates.state('gate').changing);
    await waitFor(() => !templates.state('gate').changing);
    proxies.update();
    expect(proxies.isRead).toBe(false);
    await waitFor(sees(true));
  });

  it.each(['gate', 'lobby'])(
    'stays the same while the files of %s cannot be used, even after a restart of the master',
    async (broken) => {
      const network = await Network.of({ gate: 'Velocity', lobby: 'CraftBukkit' });
      const before = await network.open();
      expect((await before.proxies.readNow())?.kind).toBe('legacy');
      await writeFile(join(network.data, 'templates', broken, 'server.jar'), 'half of a jar');
      await waitFor(() => before.templates.state(broken).problem !== null);
      before.proxies.update();
      expect((await before.proxies.readNow())?.kind).toBe('legacy');
      expect(before.proxies.kindOf('gate')).toBe('velocity');
      await before.templates.close();
      const { proxies, templates } = await network.open();
      await waitFor(() => templates.state(broken).problem !== null);
      expect((await proxies.readNow())?.kind).toBe('legacy');
      expect(proxies.kindOf('gate')).toBe('velocity');
    },
  );

  it('does not depend on a proxy template without files', async () => {
    const network = await Network.of({ gate: null, lobby: 'CraftBukkit' });
    const { proxies, templates } = await network.open();
    await waitFor(() => !templates.state('gate').changing && !templates.state('lobby').changing);
    expect(await proxies.readNow()).toBeNull();
  });
});

describe('the proxies among the templates', () => {
  it.each<[string, Parameters<Network['open']>[0]]>([
    ['have been read', {}],
    ['cannot be read', { lease: () => Promise.reject(new Error('EIO: i/o error')) }],
  ])('are known as soon as their files %s', async (_what, replaced) => {
    const network = await Network.of({ gate: 'BungeeCord-Bootstrap', lobby: 'CraftBukkit' });
    const { proxies } = await network.open(replaced);
    proxies.update();
    expect(proxies.areKnown).toBe(false);
    await waitFor(() => {
      proxies.update();
      return proxies.areKnown;
    });
    expect(proxies.kindOf('gate')).toBe('bungeecord');
  });
});
