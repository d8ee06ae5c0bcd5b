/**
 * Runs the fake as a separate program, for other clients and validating proxies:
 * `npx tsx test/fake/hetzner/main.ts [port]`.
 */
import { startFakeHetzner } from './fake-hetzner.ts';

const fake = await startFakeHetzner({ port: Number(process.argv[2] ?? 8765) });
process.stdout.write(`HCLOUD_ENDPOINT=${fake.url} HCLOUD_TOKEN=${fake.token}\n`);
