import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeMasterDeb } from '../../../build/scripts/packaging/master/make-master.mjs';
import { ensureNodeRuntime, hostArch } from '../../../build/scripts/packaging/master/node-runtime.mjs';
import { projectFacts } from '../../../build/scripts/packaging/project-facts.mjs';
import { InstallPerson } from '../../support/app/install-person.ts';
import { openApp, type OpenApp } from '../../support/app/open-app.ts';
import { makePerson } from '../../support/master/admin-master.ts';
import { Lab } from '../kit/lab.ts';
import type { LabNode } from '../kit/node.ts';
import { removeJava } from '../kit/repository.ts';

/** Time of the files in the packages (Unix time, s). */
const DATE_S = 1_735_689_600;

/** Space for the package and the installed program in addition to the image (MB). */
const DISK_MB = 2_000;

interface Options {
  /** Compression of the package: `xz` as in a release, which takes a minute, or `none`. */
  readonly compression: 'xz' | 'none';
}

/**
 * Runs the real app, and boots servers. The app can log in to the servers with a key in the SSH folder of the app's
 * user. Needs a display and the built app.
 */
export class InstallStage {
  readonly lab: Lab;
  readonly app: OpenApp;
  /** Folder in which the app finds the package of its version. */
  readonly packages: string;
  /** Path of the package of the app's version. */
  readonly package: string;
  /** Path of the private key that the servers accept. */
  readonly keyFile: string;
  readonly #publicKey: string;

  private constructor(
    of: Pick<InstallStage, 'lab' | 'app' | 'packages' | 'package' | 'keyFile'>,
    publicKey: string,
  ) {
    this.lab = of.lab;
    this.app = of.app;
    this.packages = of.packages;
    this.package = of.package;
    this.keyFile = of.keyFile;
    this.#publicKey = publicKey;
  }

  /** @param folder new folder for the app's data, the home folder of the app's user, and the packages; not removed */
  static async open(folder: string, { compression }: Options): Promise<InstallStage> {
    const [home, packages] = [join(folder, 'home'), join(folder, 'packages')];
    for (const made of [packages, join(home, '.ssh')]) mkdirSync(made, { recursive: true });
    const { privateKey, publicKey } = makePerson('anna');
    const keyFile = join(home, '.ssh', 'id_ed25519');
    writeFileSync(keyFile, privateKey, { mode: 0o600 });
    const arch = hostArch() ?? 'amd64';
    const facts = {
      arch,
      version: projectFacts().version,
      node: await ensureNodeRuntime(arch),
      dateS: DATE_S,
    };
    const file = await makeMasterDeb({ ...facts, out: packages, compression });
    const app = await openApp({
      dataFolder: join(folder, 'data'),
      switches: ['--window=1280x800', '--on-quit=stop', `--packages=${packages}`],
      env: { HOME: home, XDG_CONFIG_HOME: undefined, SSH_AUTH_SOCK: undefined },
    });
    return new InstallStage({ lab: new Lab(), app, packages, package: file, keyFile }, publicKey);
  }

  /** Boots a server without a master. Resolves when its SSH server answers. */
  async boot(): Promise<LabNode> {
    const node = await this.lab.boot({ sshKeys: [this.#publicKey.trim()], diskMb: DISK_MB });
    await node.must('systemctl is-system-running --wait || true');
    await node.waitForSsh();
    return node;
  }

  /**
   * Boots a server without a master and without Java. The server can install Java from a repository on its own disk,
   * which is faster than a real server's download. If the packages for this repository could not be downloaded, Java
   * stays on the server.
   */
  async bootWithoutJava(): Promise<LabNode> {
    const node = await this.boot();
    await removeJava(node);
    return node;
  }

  /** Returns a person at the app's window. */
  async person(): Promise<InstallPerson> {
    const person = new InstallPerson(this.app);
    await person.confirmSystemDialogs();
    return person;
  }

  async close(): Promise<void> {
    await this.app.electron.close();
    await this.lab.close();
  }
}
