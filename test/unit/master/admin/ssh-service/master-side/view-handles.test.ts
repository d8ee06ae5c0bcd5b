import { describe, expect, it } from 'vitest';
import { waitFor } from '#test/support/wait-for.ts';
import { ViewHandles } from '#master/admin/ssh-service/master-side/view-handles.ts';
import type { FileView, FileViews } from '#master/files/sftp/views/view.ts';

/**
 * Creates handles of a view. `open` counts the changes, the open files (`holds`) and the writes that have not ended.
 */
function countingViews(options: ConstructorParameters<typeof ViewHandles>[1] = {}) {
  const open = { changes: 0, holds: 0, writes: 0 };
  const counted = async <T>(name: keyof typeof open, work: () => Promise<T>): Promise<T> => {
    open[name] += 1;
    try {
      return await work();
    } finally {
      open[name] -= 1;
    }
  };
  const unused = (): never => {
    throw new Error('not used');
  };
  const view: FileView = {
    ...{ stat: unused, list: unused, open: unused },
    change: (names, _actor, work) =>
      counted('changes', () =>
        work({
          ...{ folder: '/volume', names, place: (other) => other },
          limit: { require: unused, requireEntry: unused, use: (_bytes, write) => write() },
          hold: () => {
            open.holds += 1;
            return {
              run: (write) => counted('writes', write),
              release: () => void (open.holds -= 1),
            };
          },
        }),
      ),
  };
  const views: FileViews = { services: { ...{ stat: unused, list: unused, open: unused } }, volumes: view };
  return { open, handles: new ViewHandles(views, options) };
}

const at = { view: 'volumes' as const, names: ['plot', '1', 'level.dat'] };

describe('the changes and open files of an SFTP session', () => {
  it('remain open until the client ends them, and an open file can outlast its change', async () => {
    const { open, handles } = countingViews();
    const { handle } = await handles.beginChange(at, 'anna');
    const hold = await handles.takeHold(handle);
    expect(open).toEqual({ changes: 1, holds: 1, writes: 0 });
    await handles.endChange(handle);
    await handles.use(handle, 100);
    const write = await handles.beginWrite(hold);
    expect(open).toEqual({ changes: 0, holds: 1, writes: 1 });
    await handles.endWrite(write);
    handles.releaseHold(hold);
    expect(open).toEqual({ changes: 0, holds: 0, writes: 0 });
    await expect(handles.use(handle, 100)).rejects.toThrow('not open');
  });

  it('are all ended when the session ends', async () => {
    const { open, handles } = countingViews();
    const { handle } = await handles.beginChange(at, 'anna');
    await handles.beginWrite(await handles.takeHold(handle));
    expect(open).toEqual({ changes: 1, holds: 1, writes: 1 });
    await handles.closeAll();
    expect(open).toEqual({ changes: 0, holds: 0, writes: 0 });
    await expect(handles.beginChange(at, 'anna')).rejects.toThrow('Too many open files');
    expect(open).toEqual({ changes: 0, holds: 0, writes: 0 });
  });

  it('are ended after a maximum time', async () => {
    const { open, handles } = countingViews({ maxSpanMs: 10 });
    const { handle } = await handles.beginChange(at, 'anna');
    const hold = await handles.takeHold(handle);
    await handles.beginWrite(hold);
    await waitFor(() => open.changes === 0 && open.writes === 0, { timeoutMs: 5_000 });
    await handles.endChange(handle);
    handles.releaseHold(hold);
    expect(open).toEqual({ changes: 0, holds: 0, writes: 0 });
  });

  it('include at most 16 changes and writes at a time', async () => {
    const { open, handles } = countingViews();
    const { handle } = await handles.beginChange(at, 'anna');
    const hold = await handles.takeHold(handle);
    const writes: number[] = [];
    for (let count = 1; count < 16; count++) writes.push(await handles.beginWrite(hold));
    await expect(handles.beginWrite(hold)).rejects.toThrow('Too many changes');
    await expect(handles.beginChange(at, 'anna')).rejects.toThrow('Too many changes');
    for (const write of writes) await handles.endWrite(write);
    await handles.beginWrite(hold);
    expect(open).toEqual({ changes: 1, holds: 1, writes: 1 });
  });

  it('have at most 16,384 handles in all sessions together', async () => {
    const count = { open: 16_384 - 2 };
    const { open, handles } = countingViews({ count });
    const { handle } = await handles.beginChange(at, 'anna');
    const hold = await handles.takeHold(handle);
    await expect(handles.takeHold(handle)).rejects.toThrow('Too many open files');
    handles.releaseHold(hold);
    await handles.takeHold(handle);
    await handles.closeAll();
    expect(open).toEqual({ changes: 0, holds: 0, writes: 0 });
    expect(count.open).toBe(16_384 - 2);
  });

  it('cannot begin in a read-only view', async () => {
    const { handles } = countingViews();
    await expect(handles.beginChange({ ...at, view: 'services' }, 'anna')).rejects.toThrow('read-only');
  });
});
