/**
 * Version of the app and the master. A test compares it with package.json; CONTRIBUTING.md explains how to change it.
 */
export const VERSION = '0.2.0';

/** Oldest version of Node.js that runs the master. A test compares it with package.json. */
export const NODE_NEEDED = '20.19';
