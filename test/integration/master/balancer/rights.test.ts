import { chmod, chown, stat } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HAPROXY, haproxyFixture } from '#test/support/haproxy/haproxy-fixture.ts';

const NOBODY = 65_534;

/**
 * Runs this process with the rights of an unprivileged user until the test ends, like a master that does not run as
 * root.
 */
function becomeNobody(): void {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([]);
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  onTestFinished(() => {
    becomeRoot();
    process.setgroups?.(groups);
  });
}

function becomeRoot(): void {
  process.seteuid?.(0);
  process.setegid?.(0);
}

describe.runIf(HAPROXY !== null && process.getuid?.() === 0)(
  'adopting HAProxy as a user without root rights',
  () => {
    it('reports each missing permission, and succeeds after these permissions were granted', async () => {
      const fixture = await haproxyFixture();
      await fixture.start();
      const before = await fixture.read();
      await chmod(fixture.config, 0o600);
      await chmod(fixture.folder, 0o755);

      /**
       * Tries to adopt HAProxy as an unprivileged user, after root has changed something. Returns the result or the error
       * message.
       */
      const adopt = async (prepare: () => Promise<void>): Promise<string> => {
        becomeRoot();
        await prepare();
        process.setegid?.(NOBODY);
        process.seteuid?.(NOBODY);
        return balancer.adopt().then(
          ({ error }) => error?.message ?? 'works',
          (error: unknown) => (error as Error).message,
        );
      };
      becomeNobody();
      const balancer = await fixture.open();
      expect(balancer.view.error?.message).toMatch(
        /the master's user \(nobody\) has no permission to read it/,
      );

      expect(await adopt(() => chmod(fixture.config, 0o644))).toMatch(
        /admin\.sock: the master's user has no permission to use it/,
      );
      expect(await adopt(() => chmod(fixture.socket, 0o666))).toMatch(
        /\(nobody\) has no permission to write to it, or to create files in/,
      );
      expect(await fixture.read()).toBe(before);
      expect(
        await adopt(async () => {
          await chown(fixture.config, 0, NOBODY);
          await chmod(fixture.config, 0o664);
          await chown(fixture.folder, 0, NOBODY);
          await chmod(fixture.folder, 0o2775);
        }),
      ).toMatch(/could not reload .*master\.sock: the master's user has no permission to use it/);
      expect(await adopt(() => chmod(fixture.masterSocket, 0o666))).toBe('works');
      const { mode, gid } = await stat(fixture.config);
      expect([mode & 0o7777, gid]).toEqual([0o664, NOBODY]);
    });
  },
);
