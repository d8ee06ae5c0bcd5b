import { builtinModules } from 'node:module';
import type { Plugin, UserConfig } from 'vite';

interface MainSideBuild {
  /** Entry file, relative to the project's folder. */
  readonly entry: string;
  /** Output file's name in `dist/<part>`. */
  readonly output: string;
  /** Runtime that runs the output, as a Vite target: `node20`, `chrome130`. */
  readonly target: string;
}

/**
 * Modules that are never bundled. Electron and Node.js provide most of them. The native part of ssh2 is not shipped.
 */
const external = [
  'electron',
  /^electron\//,
  /\.node$/,
  /^node:/,
  ...builtinModules.filter((name) => !name.startsWith('_')),
];

/**
 * Replaces an optional package of ssh2, which is not shipped, by an empty module. Otherwise the program would load it
 * from `~/.node_modules`, where Node.js searches for missing packages.
 */
const noOptionalPackage: Plugin = {
  name: 'no-optional-package',
  enforce: 'pre',
  resolveId: (id) => (id === 'cpu-features' ? `\0${id}` : null),
  load: (id) => (id === '\0cpu-features' ? 'export {};' : null),
};

/**
 * Returns the Vite configuration for one entry file that runs outside of the window, bundled with all its imports.
 * Each entry has a build of its own. In a common build, two entries would share a chunk whose code would run in both
 * processes (docs/adr/0005).
 */
export function mainSideBuild({ entry, output, target }: MainSideBuild): UserConfig {
  return {
    publicDir: false,
    plugins: [noOptionalPackage],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: entry,
      target,
      sourcemap: true,
      rolldownOptions: {
        external,
        output: {
          // Only a CommonJS program can run from V8's code cache (docs/adr/0014), and a sandboxed preload script
          // must be CommonJS.
          format: 'cjs',
          entryFileNames: output,
          codeSplitting: false,
          // Files that are loaded at each start load faster without comments. Names are kept for readable stacks.
          minify: { compress: false, mangle: false, codegen: true },
        },
      },
    },
  };
}
