import { describe, expect, it } from 'vitest';
import {
  listFilesAnswer,
  MAX_SERVICES,
  observeAnswer,
  readFileAnswer,
  reserveAnswer,
} from '#master/runtime/systemd/tool-answers.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

const record = (id: string, template = 'lobby') => ({
  cluster: 'cluster-1',
  port: 25_565,
  spec: serviceSpec({ id, template }),
});

const service = (id: string, rest: object = {}) => ({
  id,
  recorded: true,
  record: record(id),
  start: { boot: 'b', uptime: 5 },
  exit: null,
  unit: { active: 'active', pid: 77, alive: true },
  ...rest,
});

const answer = (...services: unknown[]) => observeAnswer.safeParse({ boot: 'b', uptime: 9, services });

describe('the answer of a node to the call "reserve" (reserves a port)', () => {
  it.each([-1, 0, 65_536, 70_000, 25_565.5])('is rejected if it contains the port %d', (port) => {
    expect(reserveAnswer.safeParse({ port, known: true }).success).toBe(false);
  });

  it('is accepted if it contains a valid port', () => {
    expect(reserveAnswer.safeParse({ port: 25_565, known: true }).success).toBe(true);
  });
});

describe('the answer of a node to the call "observe" (lists its services)', () => {
  it('is accepted if it contains a valid service', () => {
    expect(answer(service('lobby-1')).data?.services[0]?.record?.spec.id).toBe('lobby-1');
  });

  it('is accepted, but the record of another service or template is removed from it', () => {
    expect(answer(service('lobby-1', { record: record('lobby-2') })).data?.services[0]?.record).toBeNull();
    const other = record('lobby-1', 'proxy');
    expect(answer(service('lobby-1', { record: other })).data?.services[0]?.record).toBeNull();
  });

  it.each(['../../etc/passwd', 'lobby-0', 'lobby', '', 'lobby-1/../x'])(
    'is rejected if it contains the service id %j',
    (id) => {
      expect(answer(service(id)).success).toBe(false);
    },
  );

  it('is rejected if it contains more services than a node can run', () => {
    const many = Array.from({ length: 40_000 }, (_, n) => service(`lobby-${n + 1}`));
    const began = performance.now();
    const { error } = answer(...many);
    expect(error?.issues).toEqual([expect.objectContaining({ message: 'it names more than 500 services' })]);
    // The rejection takes 1 ms (measured). Parsing all services would take 10 s.
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(answer(...many.slice(0, MAX_SERVICES)).success).toBe(true);
  });
});

describe('the answer of a node to the call "list_files"', () => {
  const listed = (name: string) =>
    listFilesAnswer.safeParse({ entries: [{ name, kind: 'file', bytes: 1, changedAt: 1 }], more: false });

  it('is accepted if it contains valid file names', () => {
    for (const name of ['level.dat', '...', 'a b', 'ä'.repeat(127)])
      expect(listed(name).success, name).toBe(true);
  });

  it.each(['', '.', '..', '../x', '/etc/passwd', 'a/b', 'a\0', 'ä'.repeat(128)])(
    'is rejected if it contains the name %j',
    (name) => {
      expect(listed(name).success).toBe(false);
    },
  );
});

describe('the answer of a node to the call "read_file"', () => {
  it('is rejected if it contains more bytes than the master requests at a time', () => {
    const answered = (bytes: number) =>
      readFileAnswer.safeParse({ base64: Buffer.alloc(bytes).toString('base64'), bytes, changedAt: 1 })
        .success;
    expect(answered(MAX_PIECE_BYTES)).toBe(true);
    expect(answered(MAX_PIECE_BYTES + 3)).toBe(false);
  });
});
