import type { AddressInfo } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { bootstrapScript } from '#master/nodes/bootstrap/script.ts';
import type { FakeMachine } from '#test/fake/hetzner/world/machine-hooks.ts';
import { makeKey } from '../nodes/contact-fixture.ts';
import { Chance } from './chance.ts';
import { NodeAnswers, type Claim } from './node-answers.ts';
import { TamperingRelay } from './tampering-relay.ts';

/** Port of SSH on nodes, the default of `provider.server_port`. */
const SSH_PORT = 22;

/** Maximum size of the received data that is kept (bytes). If the master sends more, only the last data is kept. */
const KEPT_BYTES = 32 * 1_048_576;

/** Size of an answer that is too long (bytes). The master accepts 16 MB. */
const ENDLESS_BYTES = 20 * 1_048_576;

const FORGED_LINES = 200;

/** Text of all log lines that a hostile node reports for services that it does not run. */
export const FORGED = 'forged by a hostile node';

/**
 * Node whose root user is an attacker: an SSH server with the host key from the server's user data, behind a man in
 * the middle. While {@link hostile} is false, it answers like a node that is set up. Its services never accept
 * players.
 */
export class HostileNode {
  readonly name: string;
  readonly relay: TamperingRelay;
  /** Whether the node attacks: it lies, sends garbage, floods the master, or does not answer. */
  hostile = false;
  /** Services of other nodes about which the node makes claims. */
  claims: readonly Claim[] = [];
  /** Number of hostile answers so far. */
  attacks = 0;
  /** Returns the number of login attempts at the imposter, which must stay 0. */
  readonly imposterLogins: () => number;
  readonly #received: Buffer[] = [];
  #receivedBytes = 0;
  readonly #answers: NodeAnswers;
  readonly #chance: Chance;
  readonly #servers: readonly ssh2.Server[];
  readonly #connections: Set<Connection>;

  private constructor(
    machine: FakeMachine,
    parts: { readonly relay: TamperingRelay; readonly servers: readonly ssh2.Server[]; logins: () => number },
    connections: Set<Connection>,
  ) {
    this.name = machine.name;
    this.relay = parts.relay;
    this.imposterLogins = parts.logins;
    this.#servers = parts.servers;
    this.#connections = connections;
    this.#chance = new Chance(machine.name);
    this.#answers = new NodeAnswers(this.#chance);
  }

  /** Boots the node at the address that the provider gave it. */
  static async boot(machine: FakeMachine): Promise<HostileNode> {
    const document = JSON.parse(machine.userData.replace(/^#.*\n/, '')) as {
      ssh_keys: { ed25519_private: string; ed25519_public: string };
    };
    const connections = new Set<Connection>();
    let node: HostileNode | null = null;
    const own = await serve(document.ssh_keys.ed25519_private, connections, {
      command: (channel, command) => node?.execute(channel, command, document.ssh_keys.ed25519_public),
    });
    let logins = 0;
    const imposter = await serve(makeKey(), connections, { login: () => (logins += 1) });
    const relay = await TamperingRelay.open({
      host: machine.ipv4 ?? '',
      port: SSH_PORT,
      target: () => ({ host: '127.0.0.1', port: own.port }),
      imposter: imposter.port,
    });
    node = new HostileNode(
      machine,
      { relay, servers: [own.server, imposter.server], logins: () => logins },
      connections,
    );
    return node;
  }

  async close(): Promise<void> {
    await this.relay.close();
    for (const connection of this.#connections) connection.end();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  private execute(channel: ServerChannel, command: string, publicKey: string): void {
    this.#keep(`${command}\n`);
    channel.on('error', () => undefined);
    if (/ serve\b/.test(command)) this.#serveSession(channel);
    else if (command.includes('journalctl')) this.#writeJournal(channel);
    else this.#answerOnce(channel, command, publicKey);
  }

  /** Data that the master sent: commands and their input. */
  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  #keep(bytes: string | Buffer): void {
    this.#received.push(Buffer.from(bytes));
    this.#receivedBytes += bytes.length;
    while (this.#receivedBytes > KEPT_BYTES) this.#receivedBytes -= this.#received.shift()?.length ?? 0;
  }

  /** Serves a session of the node tool: one line per call, and one line per answer (tool/serve.py). */
  #serveSession(channel: ServerChannel): void {
    let rest = '';
    channel.on('data', (bytes: Buffer) => {
      this.#keep(bytes);
      const lines = (rest + bytes.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { call, command, request } = JSON.parse(line) as {
          call: number;
          command: string;
          request: Record<string, unknown>;
        };
        const reply = { call, ...this.#answers.to(command, request) };
        if (this.#isAttacking()) this.#attack(channel, call, command);
        else channel.write(`${JSON.stringify(reply)}\n`);
      }
    });
  }

  #answerOnce(channel: ServerChannel, command: string, publicKey: string): void {
    const pieces: Buffer[] = [];
    channel.on('data', (bytes: Buffer) => {
      this.#keep(bytes);
      // The first part contains the request. Files that follow are discarded.
      if (pieces.length < 100) pieces.push(bytes);
    });
    channel.on('end', () => {
      const input = Buffer.concat(pieces).toString();
      if (this.#isAttacking()) {
        this.#attack(channel, 0, command);
        return;
      }
      channel.write(this.#plainAnswer(command, input, publicKey));
      channel.exit(0);
      channel.end();
    });
  }

  #plainAnswer(command: string, input: string, publicKey: string): string {
    if (command.includes('sh -s') && input.includes('say clock')) return findings();
    if (command.includes('sh -s') && input.includes('ssh-keygen -y')) return `${publicKey}\n`;
    const called = /python3 -I -S \/\S+ (\w+)/.exec(command)?.[1];
    // The connection was cut before the complete request arrived.
    if (called === undefined || !input.includes('\n')) return '';
    const request = JSON.parse(input.split('\n', 1)[0] ?? '{}') as Record<string, unknown>;
    return JSON.stringify(this.#answers.to(called, request));
  }

  /** Sends a journal that reports log lines and exits of services that this node does not run. */
  #writeJournal(channel: ServerChannel): void {
    const timer = setInterval(() => {
      if (!this.hostile || !channel.writable) return;
      this.attacks += 1;
      const lines = Array.from({ length: FORGED_LINES }, () => this.#forgedEntry());
      channel.write(lines.join(''));
    }, 500);
    channel.on('close', () => clearInterval(timer));
  }

  #forgedEntry(): string {
    const id = this.#chance.pick([...this.claims.map((claim) => claim.id), '../../x', '']);
    const unit = `overworld@${id}.service`;
    const cursor = this.#chance.pick(['s=1;i=2', '', "'; rm -rf /", 'x'.repeat(5_000)]);
    const line = { _SYSTEMD_UNIT: unit, _TRANSPORT: 'stdout', MESSAGE: FORGED };
    const ended = { _PID: '1', MESSAGE_ID: '7ad2d189f7e94e70a38c781354912448', UNIT: unit, MESSAGE: FORGED };
    const garbage = this.#chance.bytes(40).toString('latin1').replaceAll('\n', '');
    const entry = JSON.stringify({ __CURSOR: cursor, ...this.#chance.pick([line, ended]) });
    return `${this.#chance.pick([entry, entry, garbage])}\n`;
  }

  #isAttacking(): boolean {
    return this.hostile && this.#chance.integer(0, 3) > 0;
  }

  /** Sends an answer that no honest node sends. */
  #attack(channel: ServerChannel, call: number, command: string): void {
    this.attacks += 1;
    const send = (answer: object): boolean => channel.write(`${JSON.stringify({ call, ...answer })}\n`);
    const end = (): void => {
      channel.exit(0);
      channel.end();
    };
    const attacks: (() => unknown)[] = [
      () => channel.write(this.#chance.bytes(this.#chance.integer(1, 4_000))),
      () => channel.write('x'.repeat(this.#chance.integer(1, 10) === 1 ? ENDLESS_BYTES : 100_000)),
      () => send(this.#answers.lieAbout(command, this.claims)),
      () => send(this.#answers.lieAbout(command, this.claims)),
      () => send({ answer: this.#chance.pick([null, [], 'x', { services: 5 }, { port: -1, known: 'no' }]) }),
      () =>
        send({
          problem: { kind: this.#chance.pick(['alive', 'busy', 'disk-full', 'x']), why: 'x'.repeat(9_000) },
        }),
      () => send({ call: call + 1, answer: {} }),
      () => [1, 2, 3].map(() => send({ answer: {} })),
      () => channel.stderr.write('x'.repeat(100_000)),
      () => channel.exit(this.#chance.pick([0, 1, 2, 255])),
      // Silence.
      () => undefined,
    ];
    this.#chance.pick(attacks)();
    if (this.#chance.integer(0, 2) > 0) end();
  }
}

/** Returns the answer of a node that is set up to the script of bootstrap/inspect.ts. */
function findings(): string {
  const values = {
    ...{ clock: Date.now(), client: '127.0.0.1', python: '3.11', java: '/usr/bin/java', javaProblem: '' },
    ...{ javaTriedAgo: '', firewallProblem: '', marker: bootstrapScript(SSH_PORT).name, step: '' },
    ...{ cloudInit: 'done', cloudErrors: '', freeKb: 9_000_000, usedInodesPercent: 3 },
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Starts an SSH server on loopback that accepts every key. */
async function serve(
  hostKey: string,
  connections: Set<Connection>,
  on: {
    readonly command?: (channel: ServerChannel, command: string) => void;
    readonly login?: () => void;
  },
): Promise<{ readonly server: ssh2.Server; readonly port: number }> {
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    connections.add(client);
    client.on('error', () => undefined);
    client.on('close', () => connections.delete(client));
    client.on('authentication', (login) => {
      on.login?.();
      login.accept();
    });
    client.on('session', (accept) => {
      accept().on('exec', (acceptCommand, _reject, { command }) => on.command?.(acceptCommand(), command));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
