import { builtinModules } from 'node:module';
import type { UserConfig } from 'vite';

interface MainSideBuild {
  /** Entry file, relative to the project's folder. */
  readonly entry: string;
  /** Output file's name in `dist/<part>`. */
  readonly output: string;
  /** What runs it, as a Vite target: `node20`, `chrome130`. */
  readonly target: string;
  /** First line of the output, as a program needs that is called by its name. */
  readonly shebang?: string;
}

/** Never bundled: Electron and Node bring them, or (native parts of ssh2) they are optional and not shipped. */
const external = [
  'electron',
  /^electron\//,
  'cpu-features',
  /\.node$/,
  /^node:/,
  ...builtinModules.filter((name) => !name.startsWith('_')),
];

/**
 * Vite configuration of one file that runs outside of the window, with all it imports in it. One entry per build:
 * two entries would share a chunk, and the one's code would run in the other's process (docs/adr/0005).
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
          // Node keeps compiled forms of CommonJS alone (docs/adr/0014), and a sandboxed preload script must be it.
          format: 'cjs',
          entryFileNames: output,
          codeSplitting: false,
          // What is loaded at each start is read faster without its comments; names stay, for stacks that can be read.
          minify: { compress: false, mangle: false, codegen: true },
          ...(shebang === undefined ? {} : { banner: shebang }),
        },
      },
    },
  };
}
