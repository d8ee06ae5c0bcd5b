import { describe, expect, it, onTestFinished } from 'vitest';
import { FAKE_TOKEN } from '../fake/hetzner/fake-hetzner.ts';
import { waitFor } from '../support/wait-for.ts';
import { openCloud, type LabCloud } from './kit/cloud.ts';
import { connects } from './kit/connects.ts';
import { testLab } from './kit/lab.ts';

const USER_DATA = '#cloud-config\nruncmd:\n  - [touch, /root/ordered]\n';

const RULES = [{ direction: 'in', protocol: 'tcp', port: '22', source_ips: ['10.99.0.1/32'] }];

/** Sends a request to the API. @param what method and path below the API's address */
async function ask(cloud: LabCloud, what: string, body?: object): Promise<unknown> {
  const [method = '', path = ''] = what.split(' ');
  const answer = await fetch(`${cloud.api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${FAKE_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/**
 * Checks that the lab's cloud is consistent: its API reports exactly the machines that exist. Other lab tests rely
 * on this.
 */
describe('the simulated cloud of the lab', () => {
  it('boots a node with a firewall for an ordered server, and removes the node with the server', async () => {
    const lab = testLab();
    const cloud = await openCloud(lab);
    onTestFinished(() => cloud.close());
    const { firewall } = (await ask(cloud, 'POST /firewalls', { name: 'wall', rules: RULES })) as {
      firewall: { id: number };
    };
    const { server } = (await ask(cloud, 'POST /servers', {
      name: 'ow-0123abcd-node-1',
      server_type: 'cpx22',
      image: 'debian-12',
      location: 'nbg1',
      user_data: USER_DATA,
      firewalls: [{ firewall: firewall.id }],
    })) as { server: { id: number } };
    const statusOf = async (): Promise<string> =>
      ((await ask(cloud, `GET /servers/${server.id}`)) as { server: { status: string } }).server.status;
    await waitFor(async () => (await statusOf()) === 'running');

    const node = cloud.node('node-1');
    await node.waitForSsh();
    await node.waitForCloudInit();
    expect(await node.must('hostname; ls /root/ordered')).toBe('ow-0123abcd-node-1\n/root/ordered');
    await node.must('systemd-run --unit=open-port python3 -m http.server 8000');
    await waitFor(() => node.must('ss -Htln sport = :8000'));
    expect(await connects(node.address, 8000)).toBe(false);
    await ask(cloud, `POST /firewalls/${firewall.id}/actions/set_rules`, {
      rules: [
        ...RULES,
        { direction: 'in', protocol: 'tcp', port: '8000', source_ips: ['0.0.0.0/0', '::/0'] },
      ],
    });
    await waitFor(() => connects(node.address, 8000));

    cloud.api.powerByHand(node.name, 'reset');
    await waitFor(async () => (await statusOf()) === 'running');
    await node.waitForSsh();

    await ask(cloud, `DELETE /servers/${server.id}`);
    await waitFor(() => lab.nodes.length === 0);
    expect(cloud.nodes).toEqual([]);
  });
});
