import { expect, it } from 'vitest';
import { portsAdvice } from '#master/cli/local/ports-advice.ts';

it.each([
  { words: ['run'], ports: '25565 to 25999' },
  { words: ['run', '--ports', '25600-25650'], ports: '25600 to 25650' },
])('the advice about ports for $words names the ports $ports, and who needs them', ({ words, ports }) => {
  expect(portsAdvice(words)).toBe(
    `They use the ports ${ports}. In firewalls, open these ports if players join proxies on this machine without HAProxy, or if proxies on cloud nodes send players to this machine.`,
  );
});
