import { builtinModules } from 'node:module';
import type { UserConfig } from 'vite';

interface MainSideBuild {
  /** Entry file, relative to the project's folder. */
  readonly entry: string;
  /** Output file's name in `dist/<part>`. */
  readonly output: string;
  /** What runs it, as a Vite target: `node20`, `chrome130`. */
  readonly target: string;
  /** First line of the output, for a program that is called by its name. */
  readonly shebang?: string;
}

/**
 * Never bundled, because Electron and Node provide them, or because they are optional native parts of ssh2 that are
 * not shipped.
 */
const external = [
  'electron',
  /^electron\//,
  'cpu-features',
  /\.node$/,
  /^node:/,
  ...builtinModules.filter((name) => !name.startsWith('_')),
];

/**
 * Returns the Vite configuration of one file that runs outside of the window, with all its imports. One entry per
 * build, because two entries would share a chunk whose code would run in both processes (docs/adr/0005).
 */
export function mainSideBuild({ entry, output, target, shebang }: MainSideBuild): UserConfig {
  return {
    publicDir: false,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: entry,
      target,
      sourcemap: true,
      rolldownOptions: {
        external,
        output: {
          // Node stores compiled forms only of CommonJS (docs/adr/0014), and a sandboxed preload script must be
          // CommonJS.
          format: 'cjs',
          entryFileNames: output,
          codeSplitting: false,
          // Files loaded at each start are read faster without comments. Names are kept for readable stacks.
          minify: { compress: false, mangle: false, codegen: true },
          ...(shebang === undefined ? {} : { banner: shebang }),
        },
      },
    },
  };
}
