import { describe, expect, it } from 'vitest';
import { removeConsequence } from '#renderer/view/player-entry.ts';
import { aBalancer } from '#test/support/app/models.ts';

describe('removeConsequence (describes the effect of removing the section from HAProxy)', () => {
  const entries = [{ service: 'proxy-1', state: 'open', connections: 3 }] as const;

  it('says that players cannot join before proxies that expect the PROXY header are replaced', () => {
    const words = removeConsequence(aBalancer({ entries: [...entries] }));
    expect(words).toContain('Running proxies that expect HAProxy’s PROXY header accept no players');
    expect(words).toContain('until a rolling restart has replaced them');
  });

  it('names the file whose rest is not changed, and says nothing about proxies if none is running', () => {
    const words = removeConsequence(aBalancer({ entries: [] }));
    expect(words).toContain('The rest of /etc/haproxy/haproxy.cfg is not changed.');
    expect(words).not.toContain('PROXY header');
  });
});
