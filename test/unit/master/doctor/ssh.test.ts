import { expect, it } from 'vitest';
import type { ServiceUnit } from '#master/doctor/service-unit.ts';
import { checkSsh } from '#master/doctor/ssh.ts';

const unit: ServiceUnit = {
  ...{ pid: 1, node: '/usr/bin/node', args: ['run', '--ssh-service', '/run/overworld-ssh/master.sock'] },
  ...{ data: '/var/lib/overworld', isLocal: false, user: 'overworld', state: 'is starting', environment: {} },
};

it('the doctor reports an error if a running master does not serve SSH', async () => {
  const master = { kind: 'running', java: null, sshReady: false } as const;
  expect(await checkSsh(master, unit)).toMatchObject({
    verdict: 'bad',
    advice: expect.stringContaining('-u overworld-ssh') as string,
  });
  expect(await checkSsh({ ...master, sshReady: true }, unit)).toMatchObject({ verdict: 'ok' });
});

it('the doctor skips the check of SSH if it runs in the process of the master', async () => {
  expect(await checkSsh({ kind: 'none' }, { ...unit, args: ['run'] })).toBeNull();
  expect(await checkSsh({ kind: 'none' }, null)).toBeNull();
});
