import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedPaths } from '#main/local/closed-paths.ts';
import { closedTable } from '#main/local/closed-table.ts';
import { LocalPlaces } from '#main/local/places.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const HOME = '/home/anna';
const linux = { home: HOME, settings: `${HOME}/.config`, platform: 'linux', environment: {} } as const;

describe('the local paths that the window may not access', () => {
  it.each([
    ['SSH keys', '.ssh'],
    ['OpenPGP keys', '.gnupg'],
    ['a password store', '.password-store'],
    ['keyrings', '.local/share/keyrings'],
    ['Firefox', '.mozilla'],
    ['Firefox as a snap', 'snap/firefox'],
    ['Chrome', '.config/google-chrome'],
    ['Chromium', '.config/chromium'],
    ['programs in Flatpak', '.var/app'],
    ['mail', '.thunderbird'],
    ['AWS', '.aws'],
    ['gcloud', '.config/gcloud'],
    ['Azure', '.azure'],
    ['hcloud', '.config/hcloud'],
    ['rclone', '.config/rclone'],
    ['Kubernetes', '.kube'],
    ['Docker', '.docker'],
    ['npm', '.npmrc'],
    ['PyPI', '.pypirc'],
    ['Maven', '.m2/settings.xml'],
    ['git', '.git-credentials'],
    ['git in its XDG folder', '.config/git'],
    ['GitHub', '.config/gh'],
    ['netrc', '.netrc'],
    ['PostgreSQL', '.pgpass'],
    ['FileZilla', '.config/filezilla'],
    ['bash history', '.bash_history'],
    ['zsh history', '.zsh_history'],
    ['fish history', '.local/share/fish'],
    ['Python history', '.python_history'],
    ['logins of the game launcher', '.minecraft/launcher_accounts.json'],
  ])('include private data: %s', (_, path) => {
    expect(closedPaths(linux)).toContain(`${HOME}/${path}`);
  });

  it('include the folders for private data on macOS and Windows', () => {
    const mac = closedPaths({
      ...{ home: '/Users/anna', settings: '/Users/anna/Library/Application Support' },
      ...{ platform: 'darwin', environment: {} },
    });
    for (const path of [
      'Library/Keychains',
      'Library/Application Support/Google/Chrome',
      '.config/gcloud',
      '.ssh',
    ])
      expect(mac).toContain(`/Users/anna/${path}`);
    const windows = closedPaths({
      ...{ home: '/u/anna', settings: '/u/anna/AppData/Roaming', platform: 'win32' },
      environment: { LOCALAPPDATA: '/u/anna/AppData/Local' },
    });
    for (const path of [
      'Roaming/Microsoft/Protect',
      'Local/Google/Chrome',
      'Roaming/gnupg',
      'Local/Microsoft/Vault',
    ])
      expect(windows).toContain(`/u/anna/AppData/${path}`);
    expect(closedPaths(linux).filter((path) => path.includes('AppData'))).toEqual([]);
  });

  it('include folders that environment variables name, but not the whole home folder', () => {
    const environment = {
      GNUPGHOME: '/data/keys',
      KUBECONFIG: `${HOME}/one.yaml:/etc/two.yaml`,
      NETRC: 'relative/.netrc',
      HISTFILE: '/home',
      DOCKER_CONFIG: HOME,
    };
    const added = closedPaths({ ...linux, environment }).filter((path) => !closedPaths(linux).includes(path));
    expect(added.sort()).toEqual(['/data/keys', '/etc/two.yaml', `${HOME}/one.yaml`]);
  });

  it('cannot be accessed through a parent folder either', async () => {
    const home = join(temporaryFolder(), 'anna');
    await mkdir(join(home, 'servers'), { recursive: true });
    const closed = closedPaths({ ...linux, home, settings: join(home, '.config') });
    for (const path of closed) {
      await mkdir(dirname(path), { recursive: true });
      // Ignore errors: a closed path is already a folder if another closed path is inside it.
      await writeFile(path, 'secret').catch(() => undefined);
    }
    const places = new LocalPlaces({
      ...{ usual: [{ name: 'Home', path: home }], closed },
      ...{ added: () => [], saveAdded: () => Promise.resolve() },
    });
    const refused = { code: 'FILE_FORBIDDEN' };
    for (const path of closed) {
      await expect(places.require(path), path).rejects.toMatchObject(refused);
      await expect(places.requireEntry(path), path).rejects.toMatchObject(refused);
      if (dirname(path) !== home)
        await expect(places.requireWhole(dirname(path)), path).rejects.toMatchObject(refused);
    }
    await expect(places.requireTarget(home, ['.npmrc'])).rejects.toMatchObject(refused);
    for (const name of ['servers', '.config/other', '.minecraft/saves']) {
      await mkdir(join(home, name), { recursive: true });
      expect(await places.requireWhole(join(home, name))).toBe(join(home, name));
    }
  });

  it('are also refused in other spellings that some disks treat as the same name', async () => {
    const home = join(temporaryFolder(), 'Ännä');
    await mkdir(join(home, '.SSH'), { recursive: true });
    await writeFile(join(home, '.SSH', 'id'), 'secret');
    const places = new LocalPlaces({
      ...{ usual: [{ name: 'Home', path: home }] },
      closed: closedPaths({ ...linux, home: home.normalize('NFD'), settings: join(home, '.config') }),
      ...{ added: () => [], saveAdded: () => Promise.resolve() },
    });
    const refused = { code: 'FILE_FORBIDDEN' };
    await expect(places.require(join(home, '.SSH', 'id'))).rejects.toMatchObject(refused);
    await expect(places.requireEntry(join(home, '.Aws'))).rejects.toMatchObject(refused);
    await expect(places.requireTarget(home, ['.NPMRC'])).rejects.toMatchObject(refused);
    await mkdir(join(home, '.Config', 'GH'), { recursive: true });
    await expect(places.requireWhole(join(home, '.Config'))).rejects.toMatchObject(refused);
  });

  it('are stored as normalized relative paths, each once', () => {
    for (const { base, paths } of closedTable) {
      for (const path of paths) expect(path, base).not.toMatch(/^\/|\/$|\/\/|\.\.|\\/);
    }
    const all = closedTable.flatMap(({ base, paths }) => paths.map((path) => `${base} ${path}`));
    expect(all.filter((path, index) => all.indexOf(path) !== index)).toEqual([]);
  });
});
