import { describe, expect, it } from 'vitest';
import { withMasterSocket } from '#master/cli/install/haproxy-options.ts';

const SOCKET = '-S /run/haproxy-master.sock,mode,660,group,haproxy';

/** /etc/default/haproxy of Debian 12. */
const DEBIAN = `# Defaults file for HAProxy
#
#CONFIG="/etc/haproxy/haproxy.cfg"

# Add extra flags here, see haproxy(1) for a few options
#EXTRAOPTS="-de -m 16"
`;

describe('withMasterSocket (adds a socket to the options of HAProxy)', () => {
  it('appends a socket for the group haproxy to a file without options', () => {
    const text = withMasterSocket(DEBIAN);
    expect(text.startsWith(DEBIAN)).toBe(true);
    expect(text.slice(DEBIAN.length)).toBe(
      `# Lets the group haproxy, and with it Overworld, tell HAProxy to reload its configuration.\nEXTRAOPTS="${SOCKET}"\n`,
    );
    expect(withMasterSocket(text)).toBe(text);
    expect(withMasterSocket('')).toMatch(/^# .*\nEXTRAOPTS=/);
  });

  it.each([
    { before: 'EXTRAOPTS="-de -m 16"\n', after: `EXTRAOPTS="${SOCKET} -de -m 16"\n` },
    {
      before: 'EXTRAOPTS=-S /run/haproxy-master.sock\nA=1',
      after: `EXTRAOPTS="${SOCKET}"\nA=1`,
    },
    {
      before: "EXTRAOPTS='-de -S /run/own.sock,mode,600 -m 16'",
      after: 'EXTRAOPTS="-S /run/own.sock,mode,660,group,haproxy -de -m 16"',
    },
  ])('adds the socket and keeps the other options: $before', ({ before, after }) => {
    expect(withMasterSocket(before)).toBe(after);
  });

  it.each([`EXTRAOPTS="${SOCKET}"\n`, 'EXTRAOPTS="-S /run/own.sock,group,haproxy,mode,666 -de"'])(
    'changes nothing if the group haproxy may already use the socket: %s',
    (text) => {
      expect(withMasterSocket(text)).toBe(text);
    },
  );
});
