import { removeTree } from '#master/templates/pinned-folder.ts';

/** Removes the folder in the first argument. A test runs this program as a process with limits. */
await removeTree(process.argv[2] ?? '');
