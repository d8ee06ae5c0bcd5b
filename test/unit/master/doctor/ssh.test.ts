import { expect, it } from 'vitest';
import type { ServiceUnit } from '#master/doctor/service-unit.ts';
import { checkSsh } from '#master/doctor/ssh.ts';

const unit: ServiceUnit = {
  ...{ pid: 1, node: '/usr/bin/node', args: ['run', '--ssh-service', '/run/overworld-ssh/master.sock'] },
  ...{ data: '/var/lib/overworld', isLocal: false, user: 'overworld', state: 'is starting', environment: {} },
};

it('a running master that does not serve SSH is bad', async () => {
  const master = { kind: 'running', java: null, sshReady: false } as const;
  expect(await checkSsh(master, unit)).toMatchObject({
    verdict: 'bad',
    advice: expect.stringContaining('-u overworld-ssh') as string,
  });
  expect(await checkSsh({ ...master, sshReady: true }, unit)).toMatchObject({ verdict: 'ok' });
});

it('SSH in the process of the master is not checked', async () => {
  expect(await checkSsh({ kind: 'none' }, { ...unit, args: ['run'] })).toBeNull();
  expect(await checkSsh({ kind: 'none' }, null)).toBeNull();
});
