/**
 * IPC channel that carries all requests, the one that carries all pushes, and the one on which a page asks at its very
 * beginning which choice of a master it is loaded for. Apart from the contract, so that the preload does not bring the
 * schemas into each page.
 */
export const REQUEST_CHANNEL = 'overworld:request';
export const PUSH_CHANNEL = 'overworld:push';
export const CHOICE_CHANNEL = 'overworld:choice';
