import { removeTree } from '#master/templates/pinned-folder.ts';

/** Removes the folder that the argument names, in a process for which a test has set limits. */
await removeTree(process.argv[2] ?? '');
