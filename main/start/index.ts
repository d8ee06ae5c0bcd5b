import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { app } from 'electron';
import { DEFAULT_HEAP_GROWTH_FLAG } from '#shared/heap-growth.ts';
import { compiledFolder } from './compiled-folder.ts';
import { runCompiled } from './compiled.ts';
import { dataSwitch } from './data-switch.ts';

/** Time after which startup is complete and the code cache is stored (ms). */
const KEEP_AFTER_MS = 2_000;

/** Runs a program and stores its code cache for the next start. */
function run(file: string, folder: string): void {
  const program = runCompiled(file, folder);
  if (program.compiled === 'kept' || folder === '') return;
  setTimeout(() => {
    try {
      // The master may have changed this flag. V8 accepts the code cache only under the flags of the next start.
      setFlagsFromString(DEFAULT_HEAP_GROWTH_FLAG);
      program.keep();
    } catch (error) {
      // A failure only makes the next start slower, so it is only a warning in the terminal or the master's log.
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }, KEEP_AFTER_MS).unref();
}

/**
 * Entry point of the main process and of the embedded master. The embedded master is a utility process. Its first two
 * arguments are its program and the folder of code caches ('' for none); the master's own arguments follow.
 */
if (process.type === 'utility') {
  const [file = '', folder = ''] = process.argv.splice(2, 2);
  process.argv[1] = file;
  run(file, folder);
} else {
  const data = dataSwitch(process.argv);
  const folder = compiledFolder(data === null ? app.getPath('userData') : resolve(data), app.isPackaged);
  run(join(import.meta.dirname, '..', 'main', 'index.cjs'), folder);
}
