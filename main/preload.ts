import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { CHOICE_CHANNEL, PUSH_CHANNEL, REQUEST_CHANNEL } from '#shared/ipc/channels.ts';
import type { Bridge, Reply } from '#shared/ipc/contract.ts';

/**
 * The number of the selection for which this page was loaded (see shared/ipc/channels.ts). Requested before any
 * script of the page runs.
 */
const choice: Promise<unknown> = ipcRenderer.invoke(CHOICE_CHANNEL);

/**
 * Sends one request, together with the number of the selection for which it is meant. The main process parses the
 * request. Its reply matches the contract.
 */
async function send(name: string, params: unknown): Promise<Reply> {
  return (await ipcRenderer.invoke(REQUEST_CHANNEL, name, params, await choice)) as Reply;
}

const bridge: Bridge = {
  request: (name, params) => {
    // The main process does not check the paths of this request, so the page must not choose them. Only `planDrop`
    // below sends it.
    const given: string = name;
    if (given === 'files.planDrop') return Promise.reject(new Error('files.planDrop is called by planDrop'));
    return send(name, params);
  },
  planDrop: (folder, files) => {
    // Leaves out items without a path, such as dragged text, because they are not files of this computer.
    const localPaths = files.map((file) => webUtils.getPathForFile(file)).filter((path) => path !== '');
    return send('files.planDrop', { folder, localPaths });
  },
  subscribe: (name, listener) => {
    const onPush = (_event: unknown, pushed: string, value: unknown) => {
      if (pushed === name) listener(value as Parameters<typeof listener>[0]);
    };
    ipcRenderer.on(PUSH_CHANNEL, onPush);
    return () => {
      ipcRenderer.off(PUSH_CHANNEL, onPush);
    };
  },
};

contextBridge.exposeInMainWorld('overworld', bridge);
