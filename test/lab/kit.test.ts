import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { connects } from './kit/connects.ts';
import { sharedLab } from './kit/lab.ts';

/** All lab tests rely on these checks: nodes have the documented properties, and injected faults have an effect. */
describe('the nodes of the lab', () => {
  const lab = sharedLab();

  it('boot Debian with systemd, and cloud-init applies the user data', async () => {
    const userData = [
      '#cloud-config',
      'write_files:',
      '  - path: /etc/ssh/sshd_config.d/05-port.conf',
      '    content: "Port 2222\\n"',
      'runcmd:',
      '  - [systemctl, restart, ssh]',
      '  - [touch, /root/marker]',
      '',
    ].join('\n');
    const node = await lab.boot({ name: 'ow-0123abcd-node-1', userData });
    await node.waitForSsh(2222);
    await node.waitForCloudInit();
    expect(await node.must('hostname; ls /root/marker')).toBe('ow-0123abcd-node-1\n/root/marker');
    expect(await node.must('systemctl --failed --quiet; systemctl show -p Version --value')).toMatch(/^252/);
    expect(await connects(node.address, 22)).toBe(false);
    await lab.destroy(node);
    expect(await connects(node.address, 2222)).toBe(false);
  });

  it('can have faults such as a full disk, which can be repaired', async () => {
    const node = await lab.boot({ diskMb: 300 });
    await node.waitForSsh();
    const bootId = await node.must('cat /proc/sys/kernel/random/boot_id');

    await node.pause();
    expect(await connects(node.address, 22)).toBe(true);
    node.resume();
    await node.waitForSsh();

    for (const direction of ['both', 'from-node', 'to-node'] as const) {
      node.partition(direction);
      expect(await connects(node.address, 22)).toBe(false);
      node.heal();
      await node.waitForSsh();
    }

    node.setFirewall([
      { direction: 'in', protocol: 'tcp', port: '25565', source_ips: ['0.0.0.0/0', '::/0'] },
    ]);
    expect(await connects(node.address, 22)).toBe(false);
    node.setFirewall([{ direction: 'in', protocol: 'tcp', port: '22', source_ips: ['10.99.0.1/32'] }]);
    expect(await connects(node.address, 22)).toBe(true);
    node.setFirewall(null);

    await node.fillDisk();
    expect((await node.run('dd if=/dev/zero of=/var/more bs=1M count=16')).stderr).toContain('No space left');
    node.freeDisk();
    expect((await node.run('dd if=/dev/zero of=/var/more bs=1M count=16')).code).toBe(0);

    node.setClockOff(-86_400);
    const behind = Date.now() / 1_000 - Number(await node.must('date +%s'));
    expect(behind).toBeGreaterThan(86_390);
    expect(behind).toBeLessThan(86_420);
    node.setClockOff(0);
    expect(Math.abs(Date.now() / 1_000 - Number(await node.must('date +%s')))).toBeLessThan(5);

    await node.reboot();
    await node.waitForSsh();
    expect(await node.must('cat /proc/sys/kernel/random/boot_id')).not.toBe(bootId);

    await node.crash();
    expect(await connects(node.address, 22)).toBe(false);
    await node.start();
    await node.waitForSsh();
  });

  it('can be rebooted during a command, which then returns an exit code other than 0', async () => {
    const node = await lab.boot();
    await node.waitForSsh();
    const running = node.run('touch /run/begun; sleep 300');
    await waitFor(async () => (await node.run('test -e /run/begun')).code === 0);
    await node.reboot();
    expect((await running).code).not.toBe(0);
    await node.waitForSsh();
    expect(await node.run('cat; exit 3', { input: 'said' })).toEqual({ code: 3, stdout: 'said', stderr: '' });
  });

  it('apply the property MemoryMax of a systemd unit', async () => {
    const node = await lab.boot();
    await node.waitForSsh();
    await node.must('systemd-run --unit=capped -p MemoryMax=100M sleep 60');
    const limit = 'cat /sys/fs/cgroup/memory/system.slice/capped.service/memory.limit_in_bytes';
    expect(await node.must(limit)).toBe(String(100 * 1_048_576));
    await node.must('systemctl stop capped');
    await waitFor(async () => (await node.run('systemctl is-active capped')).stdout === 'inactive\n');
  });
});
