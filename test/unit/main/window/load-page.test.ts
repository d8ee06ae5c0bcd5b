import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { loadPage, nextLoad, reloadBy } from '#main/window/load-page.ts';

/** Contents of a window. `loadURL` rejects as Electron's does when a load was replaced or has failed. */
function openContents() {
  const addresses: string[] = [];
  const loadURL = (address: string): Promise<void> => {
    addresses.push(address);
    return Promise.reject(new Error('ERR_ABORTED (-3)'));
  };
  return Object.assign(new EventEmitter(), { addresses, loadURL });
}

const fail = (contents: EventEmitter, code: number, isMainFrame = true) =>
  contents.emit('did-fail-load', {}, code, 'ERR', 'app://overworld/', isMainFrame);

describe('loadPage', () => {
  it('resolves after the reload that has replaced the first load', async () => {
    const contents = openContents();
    const loaded = loadPage(contents, 'services/lobby-1');
    expect(contents.addresses).toEqual(['app://overworld/#/services/lobby-1']);
    fail(contents, -3);
    contents.emit('did-finish-load');
    await loaded;
  });

  it('rejects if the page cannot be loaded', async () => {
    const contents = openContents();
    const loaded = loadPage(contents);
    fail(contents, -6);
    await expect(loaded).rejects.toThrow('The page could not be loaded: ERR (-6).');
  });
});

describe('nextLoad', () => {
  it('ends with the first load of the page itself, and keeps no listener', async () => {
    const contents = openContents();
    const first = nextLoad(contents);
    fail(contents, -6, false);
    contents.emit('did-finish-load');
    await first;
    const second = nextLoad(contents);
    fail(contents, -6);
    await expect(second).rejects.toThrow('could not be loaded');
    expect(contents.eventNames()).toEqual([]);
  });
});

describe('reloadBy', () => {
  it('resolves when the page is loaded and the action is done, in either order', async () => {
    const contents = openContents();
    let finish: () => void = () => undefined;
    const isDone = vi.fn();
    const done = reloadBy(contents, () => new Promise<void>((resolve) => (finish = resolve))).then(isDone);
    contents.emit('did-finish-load');
    await Promise.resolve();
    expect(isDone).not.toHaveBeenCalled();
    finish();
    await done;
    await reloadBy(contents, () => {
      setImmediate(() => contents.emit('did-finish-load'));
      return Promise.resolve();
    });
    expect(contents.eventNames()).toEqual([]);
  });

  it('rejects with the error of the action, and keeps no listener', async () => {
    const contents = openContents();
    const failed = reloadBy(contents, () => Promise.reject(new Error('the connection was removed')));
    await expect(failed).rejects.toThrow('the connection was removed');
    expect(contents.eventNames()).toEqual([]);
  });
});
