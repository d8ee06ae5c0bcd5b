/**
 * IPC channel that carries all requests, and the one that carries all pushes. Apart from the contract, so that the preload
 * does not bring the schemas into each page.
 */
export const REQUEST_CHANNEL = 'overworld:request';
export const PUSH_CHANNEL = 'overworld:push';
