/**
 * Names of the IPC channels: one for all requests, one for all pushes, and one for the selection number. The
 * selection number changes each time a person selects a master. A page asks for it when it loads, and sends it with
 * each request, so that no request reaches a master that was selected later. The names are in a separate file, so
 * that the preload script does not load the schemas into each page.
 */
export const REQUEST_CHANNEL = 'overworld:request';
export const PUSH_CHANNEL = 'overworld:push';
export const CHOICE_CHANNEL = 'overworld:choice';
