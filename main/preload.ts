import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { CHOICE_CHANNEL, PUSH_CHANNEL, REQUEST_CHANNEL } from '#shared/ipc/channels.ts';
import type { Bridge, Reply } from '#shared/ipc/contract.ts';

/**
 * Selection number with which this page was loaded. It changes each time a person selects a master (see
 * shared/ipc/channels.ts). The number is requested before any script of the page runs.
 */
const choice: Promise<unknown> = ipcRenderer.invoke(CHOICE_CHANNEL);

/**
 * Sends one request together with the selection number of this page. The main process parses the request. The reply
 * matches the contract.
 */
async function send(name: string, params: unknown): Promise<Reply> {
  return (await ipcRenderer.invoke(REQUEST_CHANNEL, name, params, await choice)) as Reply;
}

const bridge: Bridge = {
  request: (name, params) => {
    // The main process does not check the paths in `files.planDrop`, so the page must not choose these paths. Only
    // `planDrop` below sends this request.
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
