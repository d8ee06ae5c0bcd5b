import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { CHOICE_CHANNEL, PUSH_CHANNEL, REQUEST_CHANNEL } from '#shared/ipc/channels.ts';
import type { Bridge, Reply } from '#shared/ipc/contract.ts';

/** Number of the selection of a master that this page is loaded for. Requested before any script of the page runs. */
const choice: Promise<unknown> = ipcRenderer.invoke(CHOICE_CHANNEL);

/**
 * Sends one request together with the number of the selection that it is meant for. Main parses the request; its reply
 * matches the contract.
 */
async function send(name: string, params: unknown): Promise<Reply> {
  return (await ipcRenderer.invoke(REQUEST_CHANNEL, name, params, await choice)) as Reply;
}

const bridge: Bridge = {
  request: (name, params) => {
    // The page must not choose the paths of this request, which are not checked. Only `planDrop` below sends them.
    const given: string = name;
    if (given === 'files.planDrop') return Promise.reject(new Error('files.planDrop is called by planDrop'));
    return send(name, params);
  },
  planDrop: (folder, files) => {
    // An item without a path (dragged text, a synthetic File) does not exist on this computer.
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
