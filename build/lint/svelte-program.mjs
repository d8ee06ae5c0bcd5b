import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Programs for typescript-eslint's option `programs`: one program with the scripts of all Svelte components. With the
 * option `project`, typescript-eslint updates its program for each component, which takes 2 s each.
 *
 * svelte-eslint-parser translates components into TypeScript. Its hook, which this module switches on, gives the
 * program the same translation, so that the positions in both are the same. The parser must be loaded afterwards.
 *
 * The program does not notice changes of files. Editors and `--fix` must not use it.
 */
process.env['SVELTE_ESLINT_PARSER_EXPERIMENTAL_TS_SYS_HOOK'] = '1';

/** Whether this process checks each file once, and changes no file. */
const checksOnce =
  /[\\/]eslint[\\/]bin[\\/]eslint\.js$|[\\/]\.bin[\\/]eslint$/.test(process.argv[1] ?? '') &&
  !process.argv.some((arg) => arg.startsWith('--fix'));

/**
 * Returns the options with which typescript-eslint finds the types in Svelte components.
 *
 * @param {string} configFile path of the tsconfig of their project
 * @returns {object} `parserOptions`
 */
export function svelteTypes(configFile) {
  const extraFileExtensions = ['.svelte'];
  if (!checksOnce) return { project: configFile, extraFileExtensions };
  /** @type {ts.Program | undefined} */
  let program;
  /** @type {ts.Program[]} */
  const programs = [];
  // A getter, so that the program is made only if a component is checked.
  Object.defineProperty(programs, 0, { get: () => (program ??= createProgram(resolve(configFile))) });
  return { project: null, programs, extraFileExtensions };
}

/** @param {string} configFile */
function createProgram(configFile) {
  const { config } = ts.readConfigFile(configFile, (path) => ts.sys.readFile(path));
  const extensions = [{ extension: '.svelte', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred }];
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(configFile),
    { noEmit: true, allowNonTsExtensions: true },
    configFile,
    undefined,
    extensions,
  );
  return ts.createProgram(fileNames, options, ts.createCompilerHost(options, true));
}
