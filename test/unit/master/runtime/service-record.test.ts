import { describe, expect, it } from 'vitest';
import { serviceRecordSchema } from '#master/runtime/service-record.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

describe('the record that the runtime stores with a service', () => {
  it('contains the position at which the log ended before the start', () => {
    const logEnd = { lines: 12, lastHash: 'ab'.repeat(32) };
    const record = { port: 25_600, spec: serviceSpec({ statusOff: true, logEnd }) };
    expect(serviceRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  it('contains no position of the log if an earlier version of Overworld wrote the record', () => {
    const { logEnd, ...spec } = serviceSpec({ statusOff: true });
    expect(logEnd).toBeNull();
    expect(serviceRecordSchema.parse({ port: 25_600, spec })).toEqual({
      port: 25_600,
      spec: { ...spec, logEnd: null },
    });
  });
});
