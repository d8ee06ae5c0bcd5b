import { describe, expect, it } from 'vitest';
import { describeFields } from '#shared/config/field.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';

import type { ServiceRecord } from '#master/state/services/records.ts';
import { Outdated } from '#master/control/services/outdated.ts';
import {
  fromKeptStart,
  keptStartSchema,
  START_FIELDS,
  startedFrom,
  startFrom,
  type ServiceSetup,
} from '#master/state/services/started-from.ts';
import { VERSION } from '#shared/version.ts';
import type { Forwarding } from '#master/runtime/runtime.ts';
import { proxyKindOf } from '#master/templates/configs/proxy-kind.ts';
import { noBalancer, noProxies } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

const CONFIG = templateConfigSchema.parse({ maxPlayers: 20, isProxy: false });

const NOTHING: ServiceSetup = { proxyProtocol: false, forwarding: null, plugin: null, sharedFiles: '' };

/** Returns a template whose document and folder a test can change. */
function aTemplate() {
  const document = { state: { config: CONFIG } };
  const files = {
    revision: 'r1' as string | null,
    changing: false,
    usable: { software: null as string | null },
  };
  const templates = new Map([['lobby', document]]);
  const balancer = { ...noBalancer(), sendsProxyProtocol: false };
  const supplies = { pluginJar: null as Buffer | null, missing: null };
  const proxies = {
    ...noProxies(),
    kindOf: () => proxyKindOf(files.usable.software, []),
    forwarding: null as Forwarding | null,
    isRead: true,
  };
  // The comparison reads only these fields.
  const shared = {
    fingerprint: (): string | null => '',
    serverJar: (): { software: string } | null => null,
  };
  const sharedFiles = { fingerprint: () => shared.fingerprint(), serverJar: () => shared.serverJar() };
  const sides = { balancer, supplies, proxies, sharedFiles };
  const known = { config: { templates }, templates: { state: () => files }, ...sides };
  const parts = known as unknown as Parameters<Outdated['refresh']>[0];
  const outdated = new Outdated();
  const look = (record: ServiceRecord): string[] => {
    outdated.refresh(parts);
    return outdated.of(record);
  };
  const edit = (config: Partial<TemplateConfig>): void => {
    document.state = { config: { ...CONFIG, ...config } };
  };
  const countBecoming = (records: ServiceRecord[], config: Partial<TemplateConfig>): number => {
    outdated.refresh(parts);
    return outdated.countBecoming(records, 'lobby', { ...CONFIG, ...config });
  };
  return { templates, files, balancer, supplies, proxies, shared, edit, look, countBecoming };
}

function aRecord(placed = startFrom(CONFIG, 'r1', NOTHING)): ServiceRecord {
  return { template: 'lobby', placed, stopping: null } as ServiceRecord;
}

describe('the pending changes of a running service (which take effect at its next start)', () => {
  it('include exactly the settings that apply at the next start of a service', () => {
    const fields = describeFields(templateConfigSchema)
      .filter(({ effect }) => effect === 'next service start')
      .map(({ path }) => path[0]);
    // Added persistent paths apply immediately. Only removed paths apply at the next start.
    expect([...START_FIELDS].sort()).toEqual([...new Set([...fields, 'persistentPaths'])].sort());
  });

  it('are empty for a service that is up to date, has no process, or has no template', () => {
    const { look, templates } = aTemplate();
    expect(look(aRecord())).toEqual([]);
    expect(look({ template: 'lobby', placed: null } as ServiceRecord)).toEqual([]);
    templates.delete('lobby');
    expect(look(aRecord(startFrom(CONFIG, 'r0', NOTHING)))).toEqual([]);
  });

  it('include changed shared files if both versions are known', () => {
    const { look, shared, edit } = aTemplate();
    const record = aRecord(startFrom(CONFIG, 'r1', { ...NOTHING, sharedFiles: 'a' }));
    shared.fingerprint = () => null;
    expect(look(record)).toEqual([]);
    shared.fingerprint = () => 'b';
    expect(look(record)).toEqual(['shared files']);
    expect(look(aRecord(startFrom(CONFIG, 'r1', { ...NOTHING, sharedFiles: null })))).toEqual([]);
    shared.fingerprint = () => 'a';
    expect(look(record)).toEqual([]);
    shared.fingerprint = () => 'c';
    edit({ defaultServiceFiles: [{ path: 'a', destination: 'a' }] });
    expect(look(record)).toEqual(['defaultServiceFiles']);
  });

  it('include player forwarding and the plugin only after all templates have been read', () => {
    const { look, proxies, supplies } = aTemplate();
    supplies.pluginJar = Buffer.from('jar');
    // Simulate the state right after a start of the master, when no jar has been read yet.
    proxies.isRead = false;
    const record = aRecord(
      startFrom(CONFIG, 'r1', {
        proxyProtocol: false,
        forwarding: 'legacy',
        plugin: VERSION,
        sharedFiles: '',
      }),
    );
    expect(look(record)).toEqual([]);
    proxies.isRead = true;
    expect(look(record)).toEqual(['player forwarding', 'plugin']);
    // A person uploads a file. The earlier result remains.
    proxies.isRead = false;
    expect(look(record)).toEqual(['player forwarding', 'plugin']);
  });

  it('include removed persistent paths, but not added ones, which running services get at once', () => {
    const { look, edit } = aTemplate();
    const record = aRecord(startFrom({ ...CONFIG, persistentPaths: ['world/'] }, 'r1', NOTHING));
    edit({ persistentPaths: ['plugins/', 'world/'] });
    expect(look(record)).toEqual([]);
    edit({ persistentPaths: ['plugins/'] });
    expect(look(record)).toEqual(['persistentPaths']);
  });

  it.each<Partial<TemplateConfig>>([
    { minJvmMemory: 300 },
    { maxJvmMemory: 2048 },
    { isProxy: true },
    { maxPlayers: 21 },
    { defaultServiceFiles: [{ path: 'a', destination: 'b' }] },
  ])('include a changed setting until the change is undone: %o', (change) => {
    const { look, edit } = aTemplate();
    const record = aRecord();
    edit(change);
    expect(look(record)).toEqual(Object.keys(change));
    edit({ ...CONFIG });
    expect(look(record)).toEqual([]);
  });

  it('do not include settings that apply immediately', () => {
    const { look, edit } = aTemplate();
    edit({ minimumRunningServers: 9, priority: 7, name: 'Another' });
    expect(look(aRecord())).toEqual([]);
  });

  it('include the files of the template once their upload is complete', () => {
    const { look, files } = aTemplate();
    const record = aRecord();
    files.changing = true;
    expect(look(record)).toEqual([]);
    files.revision = null;
    expect(look(record)).toEqual([]);
    Object.assign(files, { revision: 'r2', changing: false });
    expect(look(record)).toEqual(['files']);
    record.placed = startFrom(CONFIG, 'r2', NOTHING);
    expect(look(record)).toEqual([]);
  });

  it('are also known for a service that a new master has adopted', () => {
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

  it('do not include values that are unknown after a restart of the master, until the service is observed', () => {
    const { look, edit } = aTemplate();
    const placed = startFrom({ ...CONFIG, maxJvmMemory: 999 }, 'r1', NOTHING);
    const record = aRecord(fromKeptStart(keptStartSchema.parse(placed)));
    expect(look(record)).toEqual([]);
    edit({ maxPlayers: 21 });
    expect(look(record)).toEqual(['maxPlayers']);
  });

  it('include PROXY protocol, player forwarding and plugin if the next start would change them', () => {
    const { look, files, balancer, supplies, proxies, edit } = aTemplate();
    edit({ isProxy: true });
    files.usable.software = 'Velocity 3.4.0';
    proxies.forwarding = { kind: 'modern', secret: 'secret', checked: true };
    const values = { ...CONFIG, isProxy: true };
    const all: ServiceSetup = { proxyProtocol: true, forwarding: 'modern', plugin: VERSION, sharedFiles: '' };
    const [bare, complete] = [
      aRecord(startFrom(values, 'r1', NOTHING)),
      aRecord(startFrom(values, 'r1', all)),
    ];
    expect(look(bare)).toEqual(['player forwarding']);
    supplies.pluginJar = Buffer.from('jar');
    balancer.sendsProxyProtocol = true;
    expect(look(bare)).toEqual(['PROXY protocol', 'player forwarding', 'plugin']);
    expect(look(complete)).toEqual([]);
    files.usable.software = 'BungeeCord 1.21';
    proxies.forwarding = { kind: 'legacy', secret: 'secret', checked: true };
    expect(look(complete)).toEqual(['player forwarding']);
    // Unknown software is not expected to understand the PROXY protocol.
    files.usable.software = null;
    expect(look(complete)).toEqual(['PROXY protocol', 'player forwarding']);
    // If the template becomes a template of game servers, only `isProxy` is listed.
    edit({ isProxy: false });
    expect(look(complete)).toEqual(['isProxy']);
  });

  it("depend on the shared server.jar if it replaces the template's own", () => {
    const { look, files, supplies, shared } = aTemplate();
    supplies.pluginJar = Buffer.from('jar');
    files.usable.software = 'net.minecraft.bundler.Main';
    expect(look(aRecord())).toEqual([]);
    shared.serverJar = () => ({ software: 'io.papermc.paperclip.Main' });
    expect(look(aRecord())).toEqual(['plugin']);
  });

  it('are computed again only if something has changed', () => {
    const { look } = aTemplate();
    const record = aRecord(startFrom(CONFIG, 'r0', NOTHING));
    expect(look(record)).toBe(look(record));
  });
});

describe('the services with pending changes after an edit of a template', () => {
  it.each<Partial<TemplateConfig>>([
    { minJvmMemory: 300 },
    { maxJvmMemory: 2048 },
    { isProxy: true },
    { maxPlayers: 21 },
    { defaultServiceFiles: [{ path: 'a', destination: 'b' }] },
  ])('are all running services of the template if the edit changes a value: %o', (change) => {
    const { countBecoming, look } = aTemplate();
    const records = [aRecord(), aRecord()];
    expect(countBecoming(records, change)).toBe(2);
    expect(records.map(look)).toEqual([[], []]);
  });

  it('do not exist if the edited values apply immediately or are the same as before', () => {
    const { countBecoming } = aTemplate();
    expect(countBecoming([aRecord()], { minimumRunningServers: 9, priority: 7 })).toBe(0);
    expect(countBecoming([aRecord()], {})).toBe(0);
  });

  it('do not include services that are stopping, have no process, or already had pending changes', () => {
    const { countBecoming } = aTemplate();
    const others = [
      aRecord(startFrom(CONFIG, 'r0', NOTHING)),
      { ...aRecord(), placed: null },
      { ...aRecord(), stopping: { since: 0, cause: 'a rule' } },
      { ...aRecord(), template: 'arena' },
    ];
    expect(countBecoming(others, { maxPlayers: 21 })).toBe(0);
    expect(countBecoming([...others, aRecord()], { maxPlayers: 21 })).toBe(1);
  });

  it('do not exist if the template does not exist yet', () => {
    const { countBecoming, templates } = aTemplate();
    templates.delete('lobby');
    expect(countBecoming([aRecord()], { maxPlayers: 21 })).toBe(0);
  });
});
