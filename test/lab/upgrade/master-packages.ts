import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeMasterDeb } from '../../../build/scripts/packaging/master/make-master.mjs';
import { ensureNodeRuntime, hostArch } from '../../../build/scripts/packaging/master/node-runtime.mjs';
import { buildAll } from '../../../build/scripts/build.mjs';
import { must } from '../kit/run.ts';

/** Time of the files in the packages (Unix time, s). */
const DATE_S = 1_735_689_600;

const PROGRAM = 'usr/lib/overworld-master';

/** Differences from the real package. */
export interface Variant {
  readonly version: string;
  /** Name in the package's description. */
  readonly name?: string;
  readonly arch?: string;
  /** JavaScript code that the program runs first. The variable `command` contains the command (`run`, `check`, …). */
  readonly code?: string;
}

/** Builds packages of the master that differ in their versions and defects. */
export class MasterPackages {
  readonly #folder: string;
  readonly #tree: string;
  /** Version of the sources, which the bundled program contains. */
  readonly #sourceVersion: string;

  private constructor(folder: string, tree: string) {
    this.#folder = folder;
    this.#tree = tree;
    this.#sourceVersion = (
      JSON.parse(readFileSync(join(tree, PROGRAM, 'package.json'), 'utf8')) as { version: string }
    ).version;
  }

  /**
   * Builds the real package and unpacks it.
   *
   * @param folder existing folder for everything that is built; not removed
   */
  static async prepare(folder: string): Promise<MasterPackages> {
    await buildAll(['master', 'practice-server', 'practice-proxy']);
    const arch = hostArch() ?? 'amd64';
    const node = await ensureNodeRuntime(arch);
    const facts = { out: folder, arch, version: '1.0.0', node, dateS: DATE_S, compression: 'none' } as const;
    const deb = await makeMasterDeb(facts);
    const tree = join(folder, 'tree');
    must('dpkg-deb', ['--raw-extract', deb, tree]);
    rmSync(deb);
    return new MasterPackages(folder, tree);
  }

  /**
   * Builds a deb. It is not compressed, because compression takes a minute. @returns the path of the deb on this
   * machine
   */
  deb(variant: Variant): string {
    const tree = this.#makeTree(variant);
    const out = join(this.#folder, `${variant.version}.deb`);
    must('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, out]);
    rmSync(tree, { recursive: true });
    return out;
  }

  /** Builds a tar.gz. @returns the path of the file on this machine */
  tarball(variant: Variant): string {
    const tree = this.#makeTree(variant);
    const name = `overworld-master-${variant.version}-linux-${variant.arch ?? 'amd64'}`;
    const out = join(this.#folder, `${name}.tar.gz`);
    const program = join(tree, PROGRAM);
    mkdirSync(join(program, 'system'));
    const system: [string, string][] = [
      ['usr/lib/systemd/system/overworld-master.service', 'overworld-master.service'],
      ['usr/lib/sysusers.d/overworld-master.conf', 'overworld-master.conf'],
    ];
    for (const [from, to] of system) cpSync(join(tree, from), join(program, 'system', to));
    const renamed = `--transform=s,^${basename(program)},${name},`;
    const options = ['--owner=0', '--group=0', renamed, '--use-compress-program=gzip -1'];
    must('tar', ['-C', join(program, '..'), ...options, '-cf', out, basename(program)]);
    rmSync(tree, { recursive: true });
    return out;
  }

  /** Copies the file tree of the real package and changes the copy. Unchanged files are hard links. */
  #makeTree({ version, name = 'overworld-master', arch, code = '' }: Variant): string {
    const tree = join(this.#folder, `tree-${version}`);
    must('cp', ['-al', this.#tree, tree]);
    const change = (path: string, edit: (text: string) => string): void => {
      const file = join(tree, path);
      const text = edit(readFileSync(file, 'utf8'));
      // Break the hard link, so that the write does not change the files of all trees.
      rmSync(file);
      writeFileSync(file, text, { mode: 0o644 });
    };
    const changed = [`${PROGRAM}/package.json`, `${PROGRAM}/master.js`, `${PROGRAM}/index.js`];
    // The bundler has inlined the constant with the version.
    const own = `\`${this.#sourceVersion}\``;
    change(changed[0] ?? '', (text) => text.replace(`"${this.#sourceVersion}"`, `"${version}"`));
    change(changed[1] ?? '', (text) => {
      if (!text.includes(own)) throw new Error(`the bundle does not contain ${own}`);
      return text.replaceAll(own, `\`${version}\``);
    });
    change(changed[2] ?? '', (text) =>
      text.replace(
        "require('./master.js')",
        `(command => { ${code}\nrequire('./master.js') })(process.argv[2])`,
      ),
    );
    change('DEBIAN/control', (text) => {
      const fields = text
        .replace(/^Version: .*$/m, `Version: ${version}`)
        .replace(/^Package: .*$/m, `Package: ${name}`);
      return arch === undefined ? fields : fields.replace(/^Architecture: .*$/m, `Architecture: ${arch}`);
    });
    change('DEBIAN/md5sums', (text) =>
      changed.reduce((sums, path) => {
        const hash = createHash('md5')
          .update(readFileSync(join(tree, path)))
          .digest('hex');
        return sums.replace(
          new RegExp(`^[0-9a-f]{32}  ${path.replaceAll('.', '\\.')}$`, 'm'),
          `${hash}  ${path}`,
        );
      }, text),
    );
    return tree;
  }
}
