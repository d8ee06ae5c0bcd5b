import { describe, expect, it, onTestFinished } from 'vitest';
import { Tasks, type TaskOwner } from '#master/files/tasks/tasks.ts';
import type { Role } from '#shared/model/access/role.ts';

/** Creates a connection with the given key. */
function connection(name: string, role: Role): TaskOwner & { close: () => void } {
  const onClose: (() => void)[] = [];
  const close = () => {
    for (const listener of onClose) listener();
  };
  return { name, role, notify: () => undefined, onClose: (listener) => onClose.push(listener), close };
}

/**
 * Returns `begin`, which starts a task that runs until it is cancelled. `begin` returns the error if the task was not
 * started, and null if the task runs.
 */
function setUp() {
  const tasks = new Tasks();
  const ending: (() => void)[] = [];
  onTestFinished(() => {
    for (const end of ending) end();
  });
  let count = 0;
  const begin = async (owner: TaskOwner) => {
    const id = `task ${(count += 1)}`;
    let begun: (value: null) => void = () => undefined;
    const running = new Promise<null>((resolve) => (begun = resolve));
    const ended = tasks.run(owner, { id, what: 'The search' }, async ({ signal }) => {
      begun(null);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        ending.push(resolve);
      });
    });
    return Promise.race([running, ended.catch((error: unknown) => error)]);
  };
  /**
   * Opens four connections per key and starts as many tasks as possible on each. @returns the number of started
   * tasks
   */
  const crowd = async (role: Role, keys: number) => {
    let began = 0;
    for (let key = 0; key < keys; key += 1) {
      for (let line = 0; line < 4; line += 1) {
        const owner = connection(`${role} ${key}`, role);
        for (let task = 0; task < 5; task += 1) if ((await begin(owner)) === null) began += 1;
      }
    }
    return began;
  };
  return { tasks, begin, crowd };
}

describe('the limits for file tasks that run at the same time', () => {
  it('leave room for operators and owners if viewers have reached their limit', async () => {
    const { begin, crowd } = setUp();
    expect(await crowd('viewer', 10)).toBe(5);
    expect(await crowd('operator', 10)).toBe(5);
    expect(await crowd('owner', 10)).toBe(2);
    expect(await begin(connection('late', 'owner'))).toMatchObject({
      code: 'TOO_MANY',
      details: { limit: 12 },
    });
  });

  it('leave room for owners if operators have reached their limit', async () => {
    const { crowd } = setUp();
    expect(await crowd('operator', 10)).toBe(10);
    expect(await crowd('viewer', 10)).toBe(0);
    expect(await crowd('owner', 10)).toBe(2);
  });

  it('apply to all connections of a key together', async () => {
    const { begin, crowd } = setUp();
    expect(await crowd('owner', 1)).toBe(6);
    expect(await begin(connection('owner 0', 'owner'))).toMatchObject({
      message: expect.stringContaining('of one key at a time (at most 6)') as string,
    });
    expect(await begin(connection('another', 'owner'))).toBeNull();
  });

  it('are named in the error message', async () => {
    const { begin, crowd } = setUp();
    await crowd('viewer', 10);
    expect(await begin(connection('late', 'viewer'))).toMatchObject({
      code: 'TOO_MANY',
      message: expect.stringContaining('of all viewers at a time (at most 5)') as string,
    });
    const desk = connection('desk', 'operator');
    for (let task = 0; task < 4; task += 1) expect(await begin(desk)).toBeNull();
    expect(await begin(desk)).toMatchObject({
      message: expect.stringContaining('of one connection at a time (at most 4)') as string,
    });
  });

  it('do not count tasks of closed connections', async () => {
    const { begin, crowd } = setUp();
    const owner = connection('a', 'viewer');
    for (let task = 0; task < 4; task += 1) await begin(owner);
    expect(await crowd('viewer', 1)).toBe(1);
    owner.close();
    await expect.poll(() => begin(connection('b', 'viewer'))).toBeNull();
  });
});
