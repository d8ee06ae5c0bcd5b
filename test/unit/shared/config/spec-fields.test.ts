import { describe, expect, it } from 'vitest';
import { describeFields, type Effect, type FieldDescription } from '#shared/config/field.ts';
import { firewallRuleSchema, masterConfigSchema } from '#shared/config/master.ts';
import {
  fileEntrySchema,
  PROCESS_OVERHEAD_MB,
  serviceRamMb,
  templateConfigSchema,
} from '#shared/config/template.ts';

/**
 * Field, type, default and effect, copied by hand from docs/specification.md#template-configuration,
 * #master-configuration and #effect-of-a-change, in this order.
 */
type Row = readonly [field: string, type: FieldDescription['type'], standard: unknown, effect: Effect];

const template: readonly Row[] = [
  ['name', 'string', '<template_name>', 'now'],
  ['minimumRunningServers', 'integer', 0, 'now'],
  ['maximumOnlineServers', 'integer', -1, 'now'],
  ['startNewServiceAtTemplateCapacity', 'integer', 0, 'now'],
  ['startNewServiceAtGlobalCapacity', 'integer', 0, 'now'],
  ['priority', 'integer', 1, 'now'],
  ['minJvmMemory', 'integer', 256, 'next service start'],
  ['maxJvmMemory', 'integer', 1024, 'next service start'],
  ['isProxy', 'boolean', true, 'next service start'],
  ['isFallback', 'boolean', false, 'now'],
  ['killUnusedTooManyServersAfter', 'integer', 120000, 'now'],
  ['defaultServiceFiles', 'object list', [], 'next service start'],
  ['persistentPaths', 'string list', [], 'now'],
  ['joinPermission', 'string', '', 'now'],
  ['maxPlayers', 'integer', 1, 'next service start'],
  ['java', 'string', 'auto', 'next service start'],
  ['jvmArguments', 'string list', [], 'next service start'],
  ['environment', 'object list', [], 'next service start'],
  ['startTimeout', 'integer', 300, 'now'],
  ['stopTimeout', 'integer', 30, 'now'],
];

/**
 * The specification describes the defaults of `communication.hostname` and `balancer.config_path` only in words. The
 * values are from docs/adr/0004.
 */
const master: readonly Row[] = [
  ['communication.hostname', 'string', '127.0.0.1', 'master start'],
  ['communication.port', 'integer', 1510, 'master start'],
  ['provider.api_token', 'string', '<API_TOKEN>', 'now'],
  ['provider.location', 'string', 'nbg1', 'now'],
  ['provider.locations', 'string list', [], 'now'],
  ['provider.server_type', 'string', 'cpx', 'now'],
  ['provider.blocked_servers', 'string list', [], 'now'],
  ['provider.ssh_keys', 'string list', [], 'now'],
  ['provider.configure_mode', 'boolean', true, 'now'],
  ['provider.server_port', 'integer', 22, 'now'],
  ['provider.upscaling_at_percent_capacity', 'integer', 80, 'now'],
  ['firewall_rules', 'object list', [], 'now'],
  ['balancer.config_path', 'string', '/etc/haproxy/haproxy.cfg', 'now'],
  ['balancer.entry_addition', 'string', 'send-proxy', 'now'],
  ['access.viewers_read_files', 'boolean', false, 'now'],
  ['access.in_game_stop', 'boolean', false, 'now'],
  ['storage.disk_reserve', 'integer', 1024, 'now'],
  ['volumes.saveInterval', 'integer', 600, 'now'],
  ['volumes.retention.last', 'integer', 24, 'now'],
  ['volumes.retention.daily', 'integer', 7, 'now'],
  ['volumes.retention.weekly', 'integer', 4, 'now'],
  ['volumes.quota.perVolume', 'integer', -1, 'now'],
  ['volumes.quota.total', 'integer', -1, 'now'],
  ['limits.max_nodes', 'integer', -1, 'now'],
  ['limits.max_cost_per_hour', 'number', -1, 'now'],
  ['limits.max_cost_per_month', 'number', -1, 'now'],
  ['max_online_players', 'integer', 100, 'now'],
];

const rowsOf = (fields: readonly FieldDescription[]): Row[] =>
  fields.map((field) => [field.path.join('.'), field.type, field.default, field.effect]);

describe.each([
  { document: 'template configuration', schema: templateConfigSchema, rows: template },
  { document: 'master configuration', schema: masterConfigSchema, rows: master },
])('the schema of the $document', ({ schema, rows }) => {
  it('has exactly the fields in the specification, with type, default value and effect', () => {
    expect(rowsOf(describeFields(schema))).toEqual(rows);
  });

  it('adds the specified default values to an empty document', () => {
    const wanted: Record<string, unknown> = {};
    for (const [path, , standard] of rows) setPath(wanted, path.split('.'), standard);
    expect(schema.parse({})).toEqual(wanted);
  });

  it.each(rows)('accepts the default value of %s', (path, _type, standard) => {
    const written: Record<string, unknown> = {};
    setPath(written, path.split('.'), standard);
    expect(schema.parse(written)).toEqual(schema.parse({}));
  });

  it('has a label, a short help, a group and the allowed values for each field', () => {
    for (const field of describeFields(schema)) {
      expect(field.label, field.path.join('.')).toMatch(/^[A-Z]/);
      expect(field.help, field.path.join('.')).toMatch(/^[^\n]{10,140}\.$/);
      expect(field.group, field.path.join('.')).toBeTruthy();
      expect(field.allowed, field.path.join('.')).toBeTruthy();
    }
  });
});

describe('an entry of defaultServiceFiles', () => {
  it('has the strings "path" and "destination", and can have the flag "directory"', () => {
    expect(describeFields(fileEntrySchema).map((f) => [f.path[0], f.type, f.required])).toEqual([
      ['path', 'string', true],
      ['destination', 'string', true],
      ['directory', 'boolean', false],
    ]);
    expect(fileEntrySchema.parse({ path: 'a', destination: 'b' })).toEqual({ path: 'a', destination: 'b' });
  });
});

describe('an entry of firewall_rules', () => {
  it('has the string "port", and can have "protocol" and "source_ips"', () => {
    expect(describeFields(firewallRuleSchema).map((f) => [f.path[0], f.type, f.required])).toEqual([
      ['port', 'string', true],
      ['protocol', 'string', false],
      ['source_ips', 'string list', false],
    ]);
    expect(firewallRuleSchema.safeParse({ port: '25565', protocol: 'tcp' }).success).toBe(true);
    expect(firewallRuleSchema.safeParse({ port: '22', source_ips: ['203.0.113.7/32'] }).success).toBe(true);
    expect(firewallRuleSchema.safeParse({ port: '22' }).success).toBe(false);
  });
});

describe('serviceRamMb (RAM that a service needs)', () => {
  it('is 375 MB more than maxJvmMemory', () => {
    expect(PROCESS_OVERHEAD_MB).toBe(375);
    expect(serviceRamMb({ maxJvmMemory: 1024 })).toBe(1399);
  });
});

describe('the special values and secrets of settings', () => {
  it.each([
    ['maximumOnlineServers', '-1', 'no limit'],
    ['killUnusedTooManyServersAfter', '-1', 'never'],
    ['startNewServiceAtTemplateCapacity', '0', 'off'],
    ['startNewServiceAtGlobalCapacity', '0', 'off'],
  ])('the value %s = %s means "%s"', (name, value, means) => {
    const field = describeFields(templateConfigSchema).find(({ path }) => path[0] === name);
    expect(field?.special).toEqual({ [value]: means });
    expect(field?.allowed).toContain(`${value} = ${means}`);
  });

  it.each([
    [-1, true],
    [0, true],
    [0.0208, true],
    [-0.5, false],
    [-2, false],
    ['12', false],
  ])('the cost limit %j is valid: %j', (amount, isValid) => {
    for (const key of ['max_cost_per_hour', 'max_cost_per_month']) {
      expect(masterConfigSchema.safeParse({ limits: { [key]: amount } }).success).toBe(isValid);
    }
  });

  it('the API token is the only secret setting', () => {
    const secrets = describeFields(masterConfigSchema).filter((f) => f.secret === true);
    expect(secrets.map((f) => f.path.join('.'))).toEqual(['provider.api_token']);
  });
});

function setPath(
  target: Record<string, unknown>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) target[key] = value;
  else setPath((target[key] ??= {}) as Record<string, unknown>, rest, value);
}
