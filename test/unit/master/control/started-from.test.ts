import { describe, expect, it } from 'vitest';
import { describeFields } from '#shared/config/field.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { Parts } from '#master/control/parts.ts';
import type { ServiceRecord } from '#master/control/records.ts';
import { Outdated, START_FIELDS, startedFrom, startFrom } from '#master/control/started-from.ts';
import { serviceSpec } from '#test/support/service-spec.ts';

const CONFIG = templateConfigSchema.parse({ maxPlayers: 20, isProxy: false });

/** One template, whose document and folder a test changes. */
function aTemplate() {
  const document = { state: { config: CONFIG } };
  const files: { revision: string | null; changing: boolean } = { revision: 'r1', changing: false };
  const templates = new Map([['lobby', document]]);
  const parts = { config: { templates }, templates: { state: () => files } } as unknown as Parts;
  const outdated = new Outdated();
  const look = (record: ServiceRecord): string[] => {
    outdated.refresh(parts);
    return outdated.of(record);
  };
  const edit = (config: Partial<TemplateConfig>): void => {
    document.state = { config: { ...CONFIG, ...config } };
  };
  return { templates, files, edit, look };
}

function aRecord(placed = startFrom(CONFIG, 'r1')): ServiceRecord {
  return { template: 'lobby', placed } as ServiceRecord;
}

describe('what has changed since a service was started', () => {
  it('is looked for in exactly the fields that take effect at the next start', () => {
    const fields = describeFields(templateConfigSchema)
      .filter(({ effect }) => effect === 'next service start')
      .map(({ path }) => path[0]);
    expect([...START_FIELDS].sort()).toEqual([...new Set(fields)].sort());
  });

  it('is nothing for one that is up to date, has no process, or has no template any more', () => {
    const { look, templates } = aTemplate();
    expect(look(aRecord())).toEqual([]);
    expect(look({ template: 'lobby', placed: null } as ServiceRecord)).toEqual([]);
    templates.delete('lobby');
    expect(look(aRecord(startFrom(CONFIG, 'r0')))).toEqual([]);
  });

  it.each<Partial<TemplateConfig>>([
    { minJvmMemory: 300 },
    { maxJvmMemory: 2048 },
    { isProxy: true },
    { maxPlayers: 21 },
    { defaultServiceFiles: [{ path: 'a', destination: 'b' }] },
  ])('names a field whose value differs, until it is changed back: %o', (change) => {
    const { look, edit } = aTemplate();
    const record = aRecord();
    edit(change);
    expect(look(record)).toEqual(Object.keys(change));
    edit({ ...CONFIG });
    expect(look(record)).toEqual([]);
  });

  it('names no field that takes effect now', () => {
    const { look, edit } = aTemplate();
    edit({ minimumRunningServers: 9, priority: 7, name: 'Another' });
    expect(look(aRecord())).toEqual([]);
  });

  it('names the files once their new content is known for certain', () => {
    const { look, files } = aTemplate();
    const record = aRecord();
    files.changing = true;
    expect(look(record)).toEqual([]);
    files.revision = null;
    expect(look(record)).toEqual([]);
    Object.assign(files, { revision: 'r2', changing: false });
    expect(look(record)).toEqual(['files']);
    record.placed = startFrom(CONFIG, 'r2');
    expect(look(record)).toEqual([]);
  });

  it('is known of one that was found running, from the note beside its process', () => {
    const { look } = aTemplate();
    const spec = serviceSpec({
      revision: 'r1',
      minJvmMemoryMb: CONFIG.minJvmMemory,
      maxJvmMemoryMb: CONFIG.maxJvmMemory,
      isProxy: false,
      maxPlayers: 20,
    });
    expect(look(aRecord(startedFrom(spec)))).toEqual([]);
    expect(look(aRecord(startedFrom({ ...spec, maxJvmMemoryMb: 999, revision: 'r0' })))).toEqual([
      'maxJvmMemory',
      'files',
    ]);
  });

  it('is compared only when something changed', () => {
    const { look } = aTemplate();
    const record = aRecord(startFrom(CONFIG, 'r0'));
    expect(look(record)).toBe(look(record));
  });
});
