import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDocument, readDocument } from '#shared/config/document.ts';
import { JVM_ARGUMENT_PRESETS, refusedArgument, refusedVariable } from '#shared/config/start-up.ts';
import { templateConfigSchema } from '#shared/config/template.ts';

describe('the setting jvmArguments', () => {
  it.each([
    ['-Xmx4G', 'sets the memory'],
    ['-Xms512m', 'sets the memory'],
    ['-mx512m', 'sets the memory'],
    ['-XX:MaxRAMPercentage=75', 'sets the memory'],
    ['-XX:MaxHeapSize=4g', 'sets the memory'],
    ['-XX:InitialHeapSize=4g', 'sets the memory'],
    ['-XX:MaxRAM=4g', 'sets the memory'],
    ['-jar', 'chooses what Java runs'],
    ['-cp', 'chooses what Java runs'],
    ['--class-path=x.jar', 'chooses what Java runs'],
    ['-m', 'chooses what Java runs'],
    ['Main', 'does not begin with "-"'],
    ['other.jar', 'does not begin with "-"'],
    ['@arguments.txt', 'from a file'],
    ['-XX:VMOptionsFile=/etc/x', 'from a file'],
    ['-XX:Flags=x', 'from a file'],
    ['-agentlib:jdwp=transport=dt_socket,server=y,address=*:5005', 'port for debuggers'],
    ['-Xrunjdwp:transport=dt_socket', 'port for debuggers'],
    ['-javaagent:/opt/agent.jar', 'outside of the service'],
    ['-javaagent:../agent.jar', 'outside of the service'],
    ['-javaagent:a/../../agent.jar', 'outside of the service'],
    ['-javaagent:C:\\agent.jar', 'outside of the service'],
    ['-agentpath:/opt/agent.so', 'outside of the service'],
    ['-Duser.home=/root', 'home folder'],
    ['-version', 'exit'],
    ['--dry-run', 'exit'],
    ['-XX:+UseG1GC -Xmx4G', 'several arguments'],
    ['-XX:+UseG1GC\n', 'line ends'],
  ])('refuses %j, and gives a reason', (argument, why) => {
    expect(refusedArgument(argument)).toContain(why);
  });

  it.each([
    '-XX:+UseZGC',
    '-XX:MaxDirectMemorySize=256m',
    '-XX:MaxHeapFreeRatio=40',
    '-Xlog:gc*:file=logs/gc.log:time,uptime',
    '-javaagent:authlib-injector.jar=ely.by',
    '-Dfile.encoding=UTF-8',
    '-Dpaper.text=two words',
    '--add-opens=java.base/java.lang=ALL-UNNAMED',
    '-Xss2M',
  ])('accepts %j', (argument) => {
    expect(refusedArgument(argument)).toBeNull();
  });

  it('accepts each preset', () => {
    for (const preset of JVM_ARGUMENT_PRESETS) {
      expect(preset.arguments.map(refusedArgument).filter((why) => why !== null)).toEqual([]);
      expect(new Set(preset.arguments).size).toBe(preset.arguments.length);
    }
  });

  it('refuses an argument that sets the heap or does not begin with "-"', () => {
    const tail = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom('-Xmx1', '-Xms1', '-jar', 'x', '@'), tail, (head, rest) => {
        const argument = head === '-jar' ? head : head + rest;
        expect(refusedArgument(argument)).not.toBeNull();
      }),
    );
  });

  it('reports the refused entry and the reason', () => {
    const reading = readDocument(templateConfigSchema, '{"jvmArguments": ["-XX:+UseG1GC", "-Xmx4G"]}');
    expect(reading).toMatchObject({
      kind: 'faulty',
      problems: [{ field: 'jvmArguments[1]', problem: expect.stringContaining('maxJvmMemory') as string }],
    });
  });
});

describe('the setting environment', () => {
  it.each([
    ['PATH', 'set by Overworld or the system'],
    ['HOME', 'set by Overworld or the system'],
    ['OVERWORLD_CLUSTER', 'set by Overworld or the system'],
    ['LD_PRELOAD', 'changes which programs are loaded'],
    ['GLIBC_TUNABLES', 'changes which programs are loaded'],
    ['BASH_ENV', 'changes which programs are loaded'],
    ['JAVA_TOOL_OPTIONS', 'use jvmArguments'],
    ['_JAVA_OPTIONS', 'use jvmArguments'],
    ['1ST', 'letters, digits'],
    ['A=B', 'letters, digits'],
    ['A B', 'letters, digits'],
    ['BASH_FUNC_x%%', 'letters, digits'],
  ])('refuses the variable %j, and gives a reason', (name, why) => {
    expect(refusedVariable(name)).toContain(why);
  });

  it.each(['DB_PASSWORD', 'TZ', 'LC_ALL', 'PAPER_VELOCITY_SECRET', 'x'])('accepts %s', (name) => {
    expect(refusedVariable(name)).toBeNull();
  });

  it('refuses duplicate names, and values with control characters', () => {
    const check = (environment: unknown) => checkDocument(templateConfigSchema, { environment });
    expect(check([{ name: 'A', value: '1' }]).kind).toBe('ok');
    expect(check([{ name: 'A', value: 'first\nsecond\tü$"\\' }]).kind).toBe('ok');
    expect(check([{ name: 'A', value: 'a\u0007' }]).kind).toBe('faulty');
    expect(check([{ name: 'A', value: 'a\rb' }]).kind).toBe('faulty');
    const twice = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(check(twice)).toMatchObject({ kind: 'faulty', problems: [{ problem: 'names a variable twice' }] });
  });

  it.each([
    ['a value of the wrong type', [{ name: 'A', value: ['hunter2'] }]],
    ['a value that is too long', [{ name: 'A', value: 'hunter2'.repeat(1000) }]],
    ['an entry of the wrong type', ['hunter2']],
    [
      'a name twice',
      [
        { name: 'A', value: 'hunter2' },
        { name: 'A', value: 'x' },
      ],
    ],
    ['a list of the wrong type', 'hunter2'],
  ])('never shows a value in an error: %s', (_, environment) => {
    const reading = checkDocument(templateConfigSchema, { environment });
    expect(reading.kind).toBe('faulty');
    expect(JSON.stringify(reading)).not.toContain('hunter2');
  });

  it('shows a wrong name in an error', () => {
    const reading = checkDocument(templateConfigSchema, {
      environment: [{ name: 'LD_PRELOAD', value: 'secret' }],
    });
    expect(JSON.stringify(reading)).toContain('LD_PRELOAD');
    expect(JSON.stringify(reading)).not.toContain('secret');
  });
});

describe('the setting java', () => {
  it.each(['auto', '8', '17', '21', '25', '26'])('accepts %j', (java) => {
    expect(templateConfigSchema.safeParse({ java }).success).toBe(true);
  });

  it.each(['', '7', '1.8', '17.0.1', 'Auto', '021', 21, '100'])('refuses %j', (java) => {
    expect(templateConfigSchema.safeParse({ java }).success).toBe(false);
  });
});
