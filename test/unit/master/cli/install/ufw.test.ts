import { describe, expect, it } from 'vitest';
import { closedPorts } from '#master/cli/install/ufw.ts';

const ADDED = `Added user rules (see 'ufw status' for running firewall):
ufw allow 22/tcp
ufw allow 2022/tcp comment 'Overworld'
ufw allow 1510
ufw allow from 203.0.113.7 to any port 25565 proto tcp
ufw deny 2023/tcp
ufw allow 2024/udp
`;

describe('the check of ufw rules', () => {
  it.each([
    { port: 22, closed: false },
    { port: 2022, closed: false },
    { port: 1510, closed: false },
    { port: 25565, closed: true },
    { port: 2023, closed: true },
    { port: 2024, closed: true },
    { port: 2, closed: true },
  ])('finds whether port $port is closed to some clients: $closed', ({ port, closed }) => {
    expect(closedPorts(ADDED, [port])).toEqual(closed ? [port] : []);
  });

  it('finds all ports closed if ufw has no rules', () => {
    expect(closedPorts('Added user rules:\n(None)\n', [2022, 1510])).toEqual([2022, 1510]);
  });
});
