import { describe, expect, it } from 'vitest';
import { runToolPython as python } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Group ids of a game server and of another service. */
const GAME = 4_001;
const OTHER = 4_002;

/**
 * Python functions for the tests. `listen` opens a port. `tries` connects to it with the given group and without
 * further rights, and returns `connected` or the error's name. The code runs in a separate network namespace.
 */
const IN_NAMESPACE = `
import ctypes, errno, json, socket, subprocess
import firewall, places
if ctypes.CDLL(None).unshare(0x40000000) != 0: raise OSError('unshare')
subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
places.RUN = sys.argv[1]
places.LOCKS = sys.argv[1] + '/locks'
def listen(port, family=socket.AF_INET):
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('::1' if family == socket.AF_INET6 else '127.0.0.1', port))
    listener.listen()
    return listener
def tries(group, listener, protocol=0):
    out, into = os.pipe()
    if os.fork() == 0:
        os.setgroups([]); os.setgid(group); os.setuid(91101)
        try:
            caller = socket.socket(listener.family, socket.SOCK_STREAM, protocol)
            caller.settimeout(5)
            caller.connect(listener.getsockname()[:2])
            said = 'connected'
        except OSError as error:
            said = errno.errorcode.get(error.errno, str(error))
        os.write(into, said.encode())
        os._exit(0)
    os.wait()
    os.close(into)
    return os.read(out, 100).decode()
def nft(text):
    return subprocess.run(['nft', *text.split()], check=True, capture_output=True, text=True).stdout
`;

const inNamespace = async (lines: string, folder = temporaryFolder()): Promise<unknown> =>
  JSON.parse(await python(`${IN_NAMESPACE}${lines}`, folder, String(GAME), String(OTHER)));

describe.skipIf(process.getuid?.() !== 0)('the firewall on a node', () => {
  it('rejects connections from a game server to other services, and no other connections', async () => {
    const said = await inNamespace(`
game, other = int(sys.argv[2]), int(sys.argv[3])
service, last, six = listen(25565), listen(25999), listen(25700, socket.AF_INET6)
below, above = listen(25564), listen(26000)
before = tries(game, service)
why = firewall.apply(firewall.rules(game, 4002, {}))
print(json.dumps({
    'before': before, 'why': why,
    'game': [tries(game, one) for one in (service, last, six)],
    'game elsewhere': [tries(game, one) for one in (below, above)],
    'other': [tries(other, one) for one in (service, last, six)],
    'root group': tries(0, service),
}))`);
    expect(said).toEqual({
      before: 'connected',
      why: null,
      game: ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'],
      'game elsewhere': ['connected', 'connected'],
      other: ['connected', 'connected', 'connected'],
      'root group': 'connected',
    });
  });

  it("rejects connections from services to SSH of the node and the master, and to the provider's metadata", async () => {
    const said = await inNamespace(`
game, other = int(sys.argv[2]), int(sys.argv[3])
for address in ('10.1.1.1/32', '10.1.1.9/32', '169.254.169.254/32'):
    subprocess.run(['ip', 'address', 'add', address, 'dev', 'lo'], check=True)
subprocess.run(['ip', 'address', 'add', 'fd00::9/128', 'dev', 'lo', 'nodad'], check=True)
def at(address, port):
    listener = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET)
    listener.bind((address, port))
    listener.listen()
    return listener
node, elsewhere = at('10.1.1.1', 22), at('10.1.1.1', 2022)
master, master_other, metadata = at('10.1.1.9', 2022), at('10.1.1.9', 1510), at('169.254.169.254', 80)
six = at('fd00::9', 2022)
closed = (node, master, metadata)
before = [tries(game, one) for one in closed]
firewall.learn_ssh(2022, '10.1.1.9 50000 10.1.1.1 22')
learned = json.loads(places.read(f'{places.RUN}/{firewall.SSH}'))
why = firewall.apply(firewall.rules(game, other, learned))
said = {
    'before': before, 'why': why,
    'game': [tries(game, one) for one in closed],
    'other service': [tries(other, one) for one in closed],
    'root': [tries(0, one) for one in closed],
    'open': [tries(game, one) for one in (elsewhere, master_other)],
}
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
os.setegid(game)
datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
os.setegid(0)
try:
    datagram.sendto(b'x', ('169.254.169.254', 53))
    said['datagram'] = 'sent'
except OSError as error:
    said['datagram'] = errno.errorcode[error.errno]
sender.sendto(b'x', ('169.254.169.254', 53))
firewall.learn_ssh(2022, 'fd00::9 50000 fd00::1 22')
firewall.apply(firewall.rules(game, other, json.loads(places.read(f'{places.RUN}/{firewall.SSH}'))))
said['six'] = [tries(game, six), tries(0, six)]
print(json.dumps(said))`);
    const refused = ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED'];
    const connected = ['connected', 'connected', 'connected'];
    expect(said).toEqual({
      ...{ before: connected, why: null, game: refused, 'other service': refused, root: connected },
      open: ['connected', 'connected'],
      datagram: 'EPERM',
      six: ['ECONNREFUSED', 'connected'],
    });
  });

  it('blocks only SSH servers whose ports are known', async () => {
    const said = await inNamespace(`
learned = []
for port, connection in ((None, None), (2022, ''), (0, '10.1.1.9 50000 10.1.1.1 22'), (2022, 'fe80::1%eth0 5 fe80::2%eth0 22')):
    firewall.learn_ssh(port, connection)
    learned.append(json.loads(places.read(f'{places.RUN}/{firewall.SSH}')))
print(json.dumps([learned, [firewall.apply(firewall.rules(4001, 4002, one)) for one in learned]]))`);
    expect(said).toEqual([
      [{}, {}, { node: 22 }, { node: 22 }],
      [null, null, null, null],
    ]);
  });

  it('also rejects game servers that use MPTCP', async () => {
    const said = await inNamespace(`
service = listen(25565)
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).close()
    supported = True
except OSError:
    supported = False
firewall.apply(firewall.rules(int(sys.argv[2]), 4002, {}))
print(json.dumps(tries(int(sys.argv[2]), service, 262) if supported else 'unsupported'))`);
    expect(['ECONNREFUSED', 'unsupported']).toContain(said);
  });

  it('keeps existing connections and other nftables tables', async () => {
    const said = await inNamespace(`
service = listen(25565)
caller = socket.create_connection(('127.0.0.1', 25565))
accepted, _ = service.accept()
nft('add table inet mine')
nft('add chain inet mine kept')
# Even the sender's own group does not matter to a connection that exists.
firewall.apply(firewall.rules(os.getgid(), 4002, {}))
firewall.apply(firewall.rules(os.getgid(), 4002, {}))
caller.sendall(b'hello')
accepted.settimeout(5)
print(json.dumps([accepted.recv(5).decode(), nft('list tables').split(), 'kept' in nft('list table inet mine')]))`);
    expect(said).toEqual(['hello', ['table', 'inet', 'mine', 'table', 'inet', 'overworld'], true]);
  });

  it('is set up again at the next start of a service after an admin has removed it', async () => {
    const said = await inNamespace(`
firewall.group_id = lambda name='game': int(sys.argv[2 if name == 'game' else 3])
service = listen(25565)
firewall.keep()
nft('flush ruleset')
without = tries(int(sys.argv[2]), service)
firewall.keep()
print(json.dumps([without, tries(int(sys.argv[2]), service)]))`);
    expect(said).toEqual(['connected', 'ECONNREFUSED']);
  });

  it('reports why its setup has failed until the setup succeeds', async () => {
    const said = await inNamespace(`
firewall.group_id = lambda name='game': int(sys.argv[2 if name == 'game' else 3])
note = f'{places.RUN}/firewall-problem'
usual, rules = firewall.PATH, firewall.rules
firewall.PATH = '/nowhere'
firewall.keep()
missing = places.read(note)
firewall.PATH, firewall.rules = usual, lambda *_: 'nonsense'
firewall.keep()
refused = places.read(note)
firewall.rules = rules
firewall.keep()
print(json.dumps([missing, refused, places.read(note)]))`);
    expect(said).toEqual([
      'nftables is not installed\n',
      expect.stringMatching(/^nft answered "\/dev\/stdin:1:.*syntax error.*"\n$/),
      null,
    ]);
  });
});

describe('the files and the systemd unit of a service on a node', () => {
  const ownerOf = async (isGame: boolean, group: string): Promise<unknown> =>
    JSON.parse(
      await python(`
import json, types
import firewall, prepare, users
firewall.group_id = lambda: ${group}
users.of = lambda port: types.SimpleNamespace(pw_uid=65536 + port, pw_gid=4002)
print(json.dumps(prepare.owner_of(25565, ${isGame ? 'True' : 'False'})))`),
    );

  it('have the group of game servers if the service is a game server', async () => {
    expect(await ownerOf(true, String(GAME))).toEqual([91_101, GAME]);
    expect(await ownerOf(false, String(GAME))).toEqual([91_101, OTHER]);
    expect(await ownerOf(true, 'None')).toEqual([91_101, OTHER]);
  });

  it.each([
    { says: 'the stop timeout of the template', spec: "{'stopTimeoutS': 90}", want: '90' },
    { says: 'at least 15 s', spec: "{'stopTimeoutS': 1}", want: '15' },
    { says: 'at most 5 min, so that a node always reboots', spec: "{'stopTimeoutS': 3600}", want: '300' },
    { says: '30 s if an older master prepared the service', spec: '{}', want: '30' },
  ])('have $says to stop when the node shuts down', async ({ spec, want }) => {
    const said = await python(
      `
import places, unit_settings
places.DROP_INS = sys.argv[1]
unit_settings.owner_of = lambda folder: (91101, ${GAME})
launch = {'arguments': [], 'environment': {}, 'memoryMaxMb': 512}
unit_settings.write('one-1', {'port': 25565, 'launch': launch, 'spec': ${spec}}, '/usr/bin/java')
print(places.read(f'{sys.argv[1]}/overworld@one-1.service.d/service.conf'))`,
      temporaryFolder(),
    );
    expect(said).toContain(`\nTimeoutStopSec=${want}\n`);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'have the same owner, because the unit runs as the user and group of the folder',
    async () => {
      const said = await python(
        `
import places, unit_settings
places.DROP_INS, places.SERVICES = sys.argv[1], sys.argv[1]
os.mkdir(f'{sys.argv[1]}/one-1')
os.chown(f'{sys.argv[1]}/one-1', 91101, ${GAME})
launch = {'arguments': [], 'environment': {}, 'memoryMaxMb': 512}
unit_settings.write('one-1', {'port': 25565, 'launch': launch, 'spec': {}}, '/usr/bin/java')
print(places.read(f'{sys.argv[1]}/overworld@one-1.service.d/service.conf'))`,
        temporaryFolder(),
      );
      expect(said).toContain(`\nUser=91101\n`);
      expect(said).toContain(`\nGroup=${GAME}\n`);
    },
  );
});
