import { builtinModules } from 'node:module';
import type { UserConfig } from 'vite';

interface MainSideBuild {
  /** Entry file, relative to the project's folder. */
  readonly entry: string;
  /** Output file's name in `dist/<part>`. */
  readonly output: string;
  readonly format: 'es' | 'cjs';
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

/** Bundled CommonJS packages (ssh2) ask for their folder when they are loaded; an ES module has no such name. */
const commonJsNames = 'const __dirname = import.meta.dirname, __filename = import.meta.filename;';

/**
 * Vite configuration of one file that runs outside of the window, with all it imports in it. One entry per build:
 * two entries would share a chunk, and the one's code would run in the other's process (docs/adr/0005).
 */
export function mainSideBuild({ entry, output, format, target, shebang }: MainSideBuild): UserConfig {
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
          format,
          entryFileNames: output,
          codeSplitting: false,
          // What is loaded at each start is read faster without its comments; names stay, for stacks that can be read.
          minify: { compress: false, mangle: false, codegen: true },
          banner: [shebang, format === 'es' ? commonJsNames : undefined].filter(Boolean).join('\n'),
        },
      },
    },
  };
}
