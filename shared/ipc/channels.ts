/**
 * Names of the IPC channels: one carries all requests, one all pushes, and on one a page asks at its very start
 * which selection of a master it is loaded for. They are in a file of their own, so that the preload script does
 * not load the schemas into each page.
 */
export const REQUEST_CHANNEL = 'overworld:request';
export const PUSH_CHANNEL = 'overworld:push';
export const CHOICE_CHANNEL = 'overworld:choice';
