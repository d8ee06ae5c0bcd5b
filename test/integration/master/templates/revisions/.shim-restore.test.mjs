// test/integration/master/templates/revisions/restore.test.ts
import { execFileSync as execFileSync2 } from "node:child_process";
import {
  chmod as chmod3,
  lstat as lstat4,
  mkdir as mkdir6,
  readdir as readdir6,
  readFile as readFile3,
  rm as rm7,
  symlink,
  unlink as unlink2,
  utimes,
  writeFile as writeFile4
} from "node:fs/promises";
import { join as join16 } from "node:path";

// .shim-vitest.ts
import * as chai from "chai";
import { JestChaiExpect, JestAsymmetricMatchers, JestExtend, ASYMMETRIC_MATCHERS_OBJECT, GLOBAL_EXPECT, customMatchers, getState, setState } from "@vitest/expect";
chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
var base = (v, m) => {
  const s = getState(base);
  setState({ assertionCalls: (s?.assertionCalls ?? 0) + 1 }, base);
  return chai.expect(v, m);
};
Object.assign(base, chai.expect);
Object.assign(base, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
base.getState = () => getState(base);
base.setState = (s) => setState(s, base);
setState({ assertionCalls: 0, isExpectingAssertions: false }, base);
globalThis[GLOBAL_EXPECT] = base;
chai.expect.extend(base, customMatchers);
var expect2 = base;
var mk = (name, parent, skip = false) => ({ name, parent, before: [], after: [], beforeEach: [], afterEach: [], skip, items: [] });
var root = mk("", null);
var cur = root;
var finished = [];
var fnOf = (a) => a.find((x) => typeof x === "function");
var add = (skip) => (name, ...a) => {
  cur.items.push({ name, run: fnOf(a), skip, scope: cur });
};
var fmt = (name, args, i) => {
  let k = 0;
  return name.replace(/%[sdijo]/g, () => JSON.stringify(args[k++])).replace(/\$(\w+)/g, (_, key) => String(args[0]?.[key]));
};
var each = (f) => (cases) => (name, ...a) => cases.forEach((c, i) => {
  const args = Array.isArray(c) ? c : [c];
  const g = fnOf(a);
  f(fmt(name, args, i), () => g(...args));
});
var mkIt = (skip) => Object.assign(add(skip), { each: each(add(skip)), skipIf: (c) => mkIt(skip || !!c), runIf: (c) => mkIt(skip || !c), skip: add(true), only: add(skip) });
var it = mkIt(false);
var desc = (skip) => (name, ...a) => {
  const s = mk(String(name), cur, skip || cur.skip);
  cur.items.push(s);
  const p = cur;
  cur = s;
  fnOf(a)();
  cur = p;
};
var mkDesc = (skip) => Object.assign(desc(skip), { each: each(desc(skip)), skipIf: (c) => mkDesc(skip || !!c), runIf: (c) => mkDesc(skip || !c), skip: desc(true) });
var describe = mkDesc(false);
var onTestFinished = (f) => finished.push(f);
var vi = new Proxy({}, { get: () => () => {
  throw new Error("no vi");
} });
var pass = 0;
var fail = 0;
var skipped = 0;
var filter = process.argv[2] ? new RegExp(process.argv[2]) : null;
var anyRun = (s) => !s.skip && s.items.some((x) => "items" in x ? anyRun(x) : !x.skip && (!filter || filter.test(full(x))));
var full = (t) => {
  let n = t.name;
  for (let s = t.scope; s; s = s.parent) n = s.name ? s.name + " " + n : n;
  return n;
};
async function runScope(s) {
  if (!anyRun(s)) return;
  for (const f of s.before) await f();
  for (const x of s.items) {
    if ("items" in x) {
      await runScope(x);
      continue;
    }
    if (x.skip || s.skip) {
      skipped++;
      continue;
    }
    if (filter && !filter.test(full(x))) continue;
    const b = Date.now();
    const chain = [];
    for (let q = s; q; q = q.parent) chain.unshift(q);
    try {
      for (const q of chain) for (const f of q.beforeEach) await f();
      await x.run();
      pass++;
      console.log("ok  ", x.name, Date.now() - b);
    } catch (e) {
      fail++;
      console.log("FAIL", x.name, Date.now() - b, e?.stack ?? e);
    }
    for (const q of chain.reverse()) for (const f of q.afterEach) await f();
    const fs = finished;
    finished = [];
    for (const f of fs.reverse()) try {
      await f();
    } catch (e) {
      console.log("cleanup", e);
    }
  }
  for (const f of s.after) await f();
}
setTimeout(async () => {
  try {
    await runScope(root);
  } catch (e) {
    console.log("BROKEN", e);
    fail++;
  }
  console.log(`${pass} passed, ${fail} failed, ${skipped} skipped`);
  process.exit(fail ? 1 : 0);
}, 0);

// shared/errors/code.ts
function code(category, sentence, retry = false) {
  return { category, retry, sentence };
}

// shared/errors/codes/connections.ts
var connectionCodes = {
  MASTER_UNREACHABLE: code(
    "transient",
    ({ address, why }) => `The master at ${address} cannot be reached: ${why}. Check address, port and firewall.`,
    true
  ),
  HOST_KEY_CHANGED: code(
    "user",
    ({ address, expected, found }) => `The master at ${address} has a different host key than before (expected ${expected}, found ${found}). Someone may be intercepting the connection. Connect only if you know why the key changed.`
  ),
  HOST_KEY_UNKNOWN: code(
    "user",
    ({ address, found }) => `The master at ${address} is new to this app. Its host key is ${found}. Compare it with the output of overworld-master status there, then trust it.`
  ),
  HOST_KEY_NOT_SHOWN: code(
    "user",
    ({ connection, hostKey }) => `The master "${connection}" has not presented the host key ${hostKey} to this app, so the key was not trusted. Connect to the master or test the connection, and compare its key.`
  ),
  HOST_KEY_NAME_MISSING: code(
    "user",
    ({ connection }) => `The changed host key of "${connection}" was not trusted, because the name of the connection was not entered. Enter it to confirm.`
  ),
  AUTH_REFUSED: code(
    "user",
    ({ address, fingerprint }) => `The master at ${address} does not accept this app's key (${fingerprint}). Add it there with: overworld-master keys add`
  ),
  API_VERSION_MISMATCH: code(
    "user",
    ({ address, master, app, theirs, ours }) => `The master at ${address} is version ${master}, this app version ${app}. They are too far apart to work together (admin API ${theirs} and ${ours}). Update the ${theirs < ours ? "master" : "app"}.`
  ),
  UNSUPPORTED_BY_MASTER: code(
    "user",
    ({ address, what, master, app, update }) => `The master at ${address} does not support ${what}: it is version ${master}, this app version ${app}. Update the ${update}.`
  ),
  CONNECTION_NOT_FOUND: code(
    "user",
    ({ connection }) => `The connection "${connection}" does not exist. It may have been removed.`
  ),
  CONNECTION_IN_USE: code(
    "user",
    ({ connection }) => `The connection "${connection}" is in use, so it cannot be removed. Switch to another one first.`
  ),
  CONNECTION_EMBEDDED: code(
    "user",
    ({ connection }) => `The connection "${connection}" belongs to the bundled master of this app and cannot be changed or removed.`
  ),
  CONNECTION_LOST: code(
    "transient",
    ({ address }) => `The connection to the master at ${address} was lost. The app reconnects automatically.`,
    true
  ),
  CONNECTION_REMOVED: code(
    "user",
    ({ transfer }) => `The connection of the transfer "${transfer}" was removed, so it cannot continue. Connect to that master again and start the transfer again.`
  ),
  NOT_CONNECTED: code(
    "transient",
    ({ status }) => `There is no connection to the master (${status}). Try again when it is connected.`,
    true
  ),
  MASTER_SWITCHED: code(
    "user",
    ({ request }) => `The connection was switched to another master before ${request} was sent, so nothing was changed. Repeat it if it is meant for the current master.`
  ),
  REQUEST_TIMEOUT: code(
    "transient",
    ({ method, afterMs }) => `The master did not answer ${method} within ${Math.round(afterMs / 1e3)} s. The request may still be processed. Check its effect before you try again.`,
    true
  ),
  EMBEDDED_MASTER_FAILED: code(
    "internal",
    ({ why }) => `The embedded master stopped working: ${why}. The app restarts it.`,
    true
  )
};

// shared/model/role.ts
import { z as z11 } from "zod";

// shared/model/template-limit.ts
import { z as z10 } from "zod";

// shared/model/template.ts
import { z as z9 } from "zod";

// shared/config/field.ts
import { z } from "zod";
var fieldMeta = z.registry();
function field(schema, meta) {
  fieldMeta.add(schema, meta);
  return schema;
}

// shared/config/issues.ts
import { closest, distance } from "fastest-levenshtein";

// shared/config/problem.ts
import { z as z2 } from "zod";
var fieldProblemSchema = z2.strictObject({
  field: z2.string(),
  problem: z2.string(),
  value: z2.string().nullable(),
  allowed: z2.string().nullable(),
  default: z2.string().nullable(),
  line: z2.number().nullable()
});
function problemSentence(problem) {
  const where = problem.line === null ? "" : ` (line ${problem.line})`;
  const subject = problem.field === "" ? "The document" : problem.field;
  const value = problem.value === null ? "" : `: found ${problem.value}`;
  const allowed = problem.allowed === null ? "" : `; allowed: ${problem.allowed}`;
  const standard = problem.default === null ? "" : `; default: ${problem.default}`;
  const sentence = `${subject}${where} ${problem.problem}${value}${allowed}${standard}`;
  return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

// shared/config/json-text.ts
import {
  createScanner,
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  visit
} from "jsonc-parser";

// shared/config/template.ts
import { z as z4 } from "zod";

// shared/config/start-up.ts
import { z as z3 } from "zod";

// shared/java-version.ts
var CLASS_FILE_OFFSET = 44;
function featureOf(version) {
  const [, first, second] = /^(\d{1,3})(?:\.(\d{1,3}))?(?![\d])/.exec(version) ?? [];
  if (first === void 0) return null;
  const feature = Number(first === "1" ? second ?? first : first);
  return feature > 0 ? feature : null;
}
function featureOfClassFile(major) {
  const feature = major - CLASS_FILE_OFFSET;
  return Number.isInteger(feature) && feature >= 1 && feature < 1e3 ? feature : null;
}
var MINECRAFT_JAVA = [
  { from: [26, 0, 0], java: 25 },
  { from: [1, 20, 5], java: 21 },
  { from: [1, 18, 0], java: 17 },
  { from: [1, 17, 0], java: 16 },
  { from: [1, 0, 0], java: 8 }
];
function javaOfMinecraft(version) {
  const match = /^(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?![\d.])/.exec(version);
  if (match === null) return null;
  const [major, minor, patch] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const row = MINECRAFT_JAVA.find(
    ({ from: [a, b, c] }) => major > a || major === a && (minor > b || minor === b && patch >= c)
  );
  return row?.java ?? null;
}
function javaNeedOf(facts) {
  const { classFile, declared, minecraft, javaVersion, buildJdk } = facts;
  const stated = declared ?? (minecraft === null ? null : javaOfMinecraft(minecraft)) ?? featureOrNull(javaVersion);
  const compiled = classFile === null ? null : featureOfClassFile(classFile);
  if (stated === null && compiled === null) return featureOrNull(buildJdk);
  return Math.max(stated ?? 1, compiled ?? 1);
}
function featureOrNull(version) {
  return version === null ? null : featureOf(version);
}

// shared/config/start-up.ts
var AUTO_JAVA = "auto";
var OLDEST_JAVA = 8;
var REFUSALS = [
  {
    matches: /^-(X?m[sx]\d|XX:(Initial|Max|Min)?(HeapSize|RAM|RAMPercentage|RAMFraction)=)/,
    why: "sets the memory; use minJvmMemory and maxJvmMemory, which the rules count with"
  },
  {
    matches: /^(-jar|-cp|-classpath|--class-path|-p|--module-path|-m|--module|-d|--describe-module)(=|$)/,
    why: "chooses what Java runs, which is always server.jar"
  },
  {
    matches: /^(@|-XX:(VMOptionsFile|Flags)=|-XX:\+ReadVMOptionsFile)/,
    why: "reads further arguments from a file; write them here"
  },
  {
    matches: /^-(agentlib:jdwp|Xrunjdwp|Xdebug|-debug)/,
    why: "opens a port for debuggers, over which a client could run any program"
  },
  {
    matches: /^-(javaagent|agentpath):(\/|[A-Za-z]:|(.*[/\\])?\.\.([/\\=]|$))/,
    why: "loads an agent from outside of the service's folder; put it into the template's files and use a relative path"
  },
  {
    matches: /^-Duser\.home(=|$)/,
    why: "sets the home folder, which is always the service's own"
  },
  {
    matches: /^-(\?|h|help|-help|-help-extra|version|-version|fullversion|-full-version|X|-list-modules|-dry-run|-validate-modules)$/,
    why: "makes Java print something and exit"
  }
];
function refusedArgument(argument) {
  if (/^\s|\s$|[\r\n]/.test(argument)) return "has spaces or line ends around it";
  if (/\s[-@]/.test(argument)) return "contains several arguments; write each as an entry of its own";
  const refusal = REFUSALS.find(({ matches }) => matches.test(argument));
  if (refusal !== void 0) return refusal.why;
  return argument.startsWith("-") ? null : 'does not begin with "-", so Java would take it for a class to run';
}
var jvmArgumentSchema = z3.string().min(1).max(1024).superRefine((argument, context) => {
  const why = argument === "" ? null : refusedArgument(argument);
  if (why !== null) context.addIssue({ code: "custom", message: why });
});
var RESERVED_NAMES = /* @__PURE__ */ new Set([
  ...["PATH", "HOME", "LANG", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "JAVA_HOME", "CLASSPATH"],
  ...["ENV", "BASH_ENV", "IFS", "PS4", "SHELLOPTS", "BASHOPTS", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH"],
  ...[
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "NOTIFY_SOCKET",
    "MAINPID",
    "SYSTEMD_EXEC_PID",
    "MEMORY_PRESSURE_WATCH"
  ]
]);
var RESERVED_BEGINNINGS = ["OVERWORLD_", "LD_", "DYLD_", "LISTEN_", "MALLOC_"];
var ARGUMENT_NAMES = /* @__PURE__ */ new Set(["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "JAVA_OPTIONS"]);
function refusedVariable(name) {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return 'must consist of letters, digits and "_", and not begin with a digit';
  if (ARGUMENT_NAMES.has(name)) return "contains arguments for Java; use jvmArguments";
  const isReserved = RESERVED_NAMES.has(name) || RESERVED_BEGINNINGS.some((beginning) => name.startsWith(beginning));
  return isReserved ? "is set by Overworld or the system, or changes which programs are loaded" : null;
}
var environmentEntrySchema = z3.strictObject({
  name: field(
    z3.string().min(1).max(128).superRefine((name, context) => {
      const why = name === "" ? null : refusedVariable(name);
      if (why !== null) context.addIssue({ code: "custom", message: why });
    }),
    {
      label: "Name",
      help: "Name of the variable.",
      allowed: 'letters, digits and "_", but no variable that Overworld or the system sets',
      effect: "next service start"
    }
  ),
  value: field(
    z3.string().max(4096).regex(/^(?:\P{Cc}|[\n\t])*$/u),
    {
      label: "Value",
      help: "Value of the variable. Only people who may edit the template see it.",
      allowed: "up to 4096 characters, without control characters",
      secret: true,
      effect: "next service start"
    }
  )
});
function hasUniqueNames(entries) {
  return new Set(entries.map(({ name }) => name)).size === entries.length;
}
function isJavaChoice(text) {
  if (text === AUTO_JAVA) return true;
  return /^\d{1,2}$/.test(text) && (featureOf(text) ?? 0) >= OLDEST_JAVA;
}
var startUpFields = {
  java: field(
    z3.string().max(8).refine(isJavaChoice, { message: "is no version of Java" }).default(AUTO_JAVA),
    {
      label: "Java",
      help: 'Version of Java. "auto" chooses one that is new enough for server.jar. Overworld installs a version that a node lacks.',
      allowed: '"auto", or a version from 8 on such as "21"',
      effect: "next service start",
      group: "Start-up",
      since: 5
    }
  ),
  jvmArguments: field(z3.array(jvmArgumentSchema).max(100).default([]), {
    label: "JVM arguments",
    help: "Further arguments for Java, before -jar. The heap has settings of its own.",
    allowed: 'a list of arguments such as "-XX:+UseG1GC"',
    effect: "next service start",
    group: "Start-up",
    since: 5
  }),
  environment: field(
    z3.array(environmentEntrySchema).max(100).refine(hasUniqueNames, { message: "names a variable twice" }).default([]),
    {
      label: "Environment",
      help: "Variables of each service, such as the password of a database. Viewers do not see the values.",
      allowed: "a list of variables with different names, each with name and value",
      effect: "next service start",
      group: "Start-up",
      since: 5
    }
  ),
  startTimeout: field(z3.int().min(1).max(86400).default(300), {
    label: "Start timeout",
    help: "A start that takes longer fails once the log has been quiet for a minute.",
    unit: "s",
    effect: "now",
    group: "Start-up",
    since: 5
  }),
  stopTimeout: field(z3.int().min(1).max(3600).default(30), {
    label: "Stop timeout",
    help: "Time that a stopping service has to save its worlds before it is ended.",
    unit: "s",
    effect: "now",
    group: "Start-up",
    since: 5
  })
};

// shared/config/template.ts
var PROCESS_OVERHEAD_MB = 375;
var MAX_SERVICES = 1e4;
var MAX_JVM_MB = 1048576;
var THIRTY_DAYS_MS = 2592e6;
var CONTAINED_PATH = /^(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\0]+$/;
var PERSISTENT_PATH = /^(?![/!])(?!(?:\.\/?)*$)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\0\r\n]+$/;
var fileEntrySchema = z4.strictObject({
  path: field(z4.string().min(1).max(1024).regex(CONTAINED_PATH), {
    label: "Source path",
    help: "File or directory in the shared files of the master.",
    allowed: 'a path inside the shared files, without ".."',
    effect: "next service start"
  }),
  destination: field(
    z4.string().min(1).max(1024).regex(CONTAINED_PATH).refine((path) => !path.startsWith("/")),
    {
      label: "Destination",
      help: "Target path, relative to the service's directory.",
      allowed: 'a relative path without ".."',
      effect: "next service start"
    }
  ),
  directory: field(z4.boolean().optional(), {
    label: "Directory",
    help: "Whether the entry is a whole directory.",
    effect: "next service start"
  })
});
var memorySchema = z4.object({ minJvmMemory: z4.int(), maxJvmMemory: z4.int() });
var templateConfigSchema = z4.strictObject({
  name: field(z4.string().trim().min(1).max(64).default("<template_name>"), {
    label: "Name",
    help: "Display name. It can be changed at any time.",
    effect: "now",
    group: "General"
  }),
  minimumRunningServers: field(z4.int().min(0).max(MAX_SERVICES).default(0), {
    label: "Minimum running services",
    help: "Number of empty services that are always kept ready for players.",
    unit: "services",
    effect: "now",
    group: "Scaling"
  }),
  maximumOnlineServers: field(z4.int().min(-1).max(MAX_SERVICES).default(-1), {
    label: "Maximum online services",
    help: "Maximum number of services at the same time.",
    unit: "services",
    special: { "-1": "no limit" },
    effect: "now",
    group: "Scaling"
  }),
  startNewServiceAtTemplateCapacity: field(z4.int().min(0).max(100).default(0), {
    label: "Start new service at template capacity",
    help: "A service starts when this share of the template's player slots is taken. 0 turns the rule off.",
    unit: "%",
    special: { "0": "off" },
    effect: "now",
    group: "Scaling"
  }),
  startNewServiceAtGlobalCapacity: field(z4.int().min(0).max(100).default(0), {
    label: "Start new service at global capacity",
    help: "A service starts when this share of the network's player limit is reached. 0 turns the rule off.",
    unit: "%",
    special: { "0": "off" },
    effect: "now",
    group: "Scaling"
  }),
  priority: field(z4.int().min(-1e3).max(1e3).default(1), {
    label: "Priority",
    help: "Services of templates with a smaller number start first.",
    effect: "now",
    group: "Scaling"
  }),
  minJvmMemory: field(z4.int().min(16).max(MAX_JVM_MB).default(256), {
    label: "Minimum JVM memory",
    help: "Heap of the JVM at start (-Xms). At most the maximum.",
    unit: "MB",
    effect: "next service start",
    group: "Server"
  }),
  maxJvmMemory: field(z4.int().min(16).max(MAX_JVM_MB).default(1024), {
    label: "Maximum JVM memory",
    help: `Maximum heap of the JVM (-Xmx). Each process is allocated ${PROCESS_OVERHEAD_MB} MB more.`,
    unit: "MB",
    effect: "next service start",
    group: "Server"
  }),
  isProxy: field(z4.boolean().default(true), {
    label: "Proxy",
    help: "Players connect to proxies, which send them to game servers.",
    effect: "next service start",
    group: "Server"
  }),
  isFallback: field(z4.boolean().default(false), {
    label: "Fallback",
    help: "Proxies send players here when they join or lose their server.",
    effect: "now",
    group: "Players"
  }),
  killUnusedTooManyServersAfter: field(z4.int().min(-1).max(THIRTY_DAYS_MS).default(12e4), {
    label: "Stop unused services after",
    help: "An empty service that no rule needs is stopped after this time.",
    unit: "ms",
    special: { "-1": "never" },
    effect: "now",
    group: "Scaling"
  }),
  defaultServiceFiles: field(z4.array(fileEntrySchema).max(1e3).default([]), {
    label: "Default service files",
    help: "Shared files and directories that are copied into each service of this template when it starts.",
    effect: "next service start",
    group: "Files"
  }),
  persistentPaths: field(z4.array(z4.string().min(1).max(256).regex(PERSISTENT_PATH)).max(100).default([]), {
    label: "Persistent paths",
    help: "Files and folders that a service keeps when it stops, such as world*/. Empty: everything that it wrote is deleted.",
    allowed: `a list of paths or globs inside the service's folder, without "..", such as "world*/" or "whitelist.json"`,
    effect: "next service start",
    group: "Files",
    since: 5
  }),
  joinPermission: field(
    z4.string().max(128).regex(/^[A-Za-z0-9._*-]*$/).default(""),
    {
      label: "Join permission",
      help: "Only players with this permission can join. Empty: everyone can.",
      allowed: "up to 128 letters, digits and . _ - *",
      effect: "now",
      group: "Players"
    }
  ),
  maxPlayers: field(z4.int().min(1).max(1e6).default(1), {
    label: "Maximum players",
    help: "Maximum number of players on one service. Written to the server's properties file.",
    unit: "players",
    effect: "next service start",
    group: "Players"
  }),
  ...startUpFields
}).refine(({ minJvmMemory, maxJvmMemory }) => minJvmMemory <= maxJvmMemory, {
  path: ["minJvmMemory"],
  error: ({ input }) => `must not be larger than maxJvmMemory (${input.maxJvmMemory})`,
  // Runs even if other fields are invalid, so that a person sees all problems at once.
  when: ({ value }) => memorySchema.safeParse(value).success
});

// shared/tolerant.ts
import { z as z5 } from "zod";
var tolerance = z5.registry();
function openEnum(values, standIn) {
  return z5.enum([.../* @__PURE__ */ new Set([...values, standIn])]).register(tolerance, { standIn });
}
function configDocument(schema) {
  const copy = schema.clone();
  tolerance.add(copy, { document: true });
  return copy;
}

// shared/model/software.ts
import { z as z7 } from "zod";

// shared/model/template-id.ts
import { z as z6 } from "zod";
var templateIdSchema = z6.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);

// shared/model/software.ts
var softwareIds = [
  "practice-proxy",
  "practice-server",
  "velocity",
  "waterfall",
  "paper",
  "folia",
  "purpur",
  "vanilla",
  "fabric"
];
var softwareIdSchema = z7.enum(softwareIds);
var softwareVersionSchema = z7.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+ -]{0,63}$/);
var softwareChoiceSchema = z7.strictObject({
  software: softwareIdSchema,
  version: softwareVersionSchema.nullable(),
  build: softwareVersionSchema.nullable()
});
var publishedVersionSchema = z7.strictObject({
  version: z7.string(),
  /** Whether its publisher recommends it for use: no snapshot, alpha or beta. */
  stable: z7.boolean()
});
var publishedBuildSchema = z7.strictObject({
  /** Null if a version has exactly one build, which has no name. */
  build: z7.string().nullable(),
  stable: z7.boolean(),
  /** When it was published (ms since epoch). Null if the publisher does not say it. */
  at: z7.int().nullable()
});
var cachedSoftwareSchema = z7.strictObject({
  ...softwareChoiceSchema.shape,
  /** Size of the jar. */
  bytes: z7.int(),
  /** When it was downloaded (ms since epoch). */
  at: z7.int(),
  /** Algorithm of the hash of its publisher that the jar was compared with. Null if the publisher states none. */
  verified: z7.string().nullable()
});
var softwareUpdateSchema = z7.strictObject({
  template: templateIdSchema,
  newest: softwareChoiceSchema
});

// shared/model/wait.ts
import { z as z8 } from "zod";
var waitReasons = [
  /** A person paused the automation of the service or its template. */
  "HELD",
  /** As many services exist as `maximumOnlineServers` allows. */
  "CAP_REACHED",
  "SERVER_JAR_MISSING",
  "TEMPLATE_UNREADABLE",
  "FILES_CHANGING",
  "BACKING_OFF",
  "NO_NODE",
  "RAM_FULL",
  /** A node with room for the service is starting, or cannot be reached at the moment. */
  "NODE_ON_ITS_WAY",
  /** Nodes are required, but none is ordered while `provider.configure_mode` is on. */
  "CONFIGURE_MODE",
  /**
   * The provider offers no type that the master configuration allows: other prefix, blocked, deprecated or sold
   * out.
   */
  "NO_OFFER",
  /** The service is larger than every existing node and every node that may be ordered. */
  "TOO_BIG",
  /** The provider rejected the last orders. They resume later, or after a person has solved the problem. */
  "ORDERING_PAUSED",
  /** Another node would exceed a limit of the master configuration for nodes or costs (`limits`). */
  "BUDGET_REACHED",
  "JAVA_MISSING",
  "START_BUDGET",
  /** The newest data of the service's volume is on another node, which has not handed it over. */
  "VOLUME_ATTACHED"
];
var waitSchema = z8.strictObject({
  /** `OTHER` in an app that does not know the reason, because the master is newer. */
  reason: openEnum(waitReasons, "OTHER"),
  /** One sentence for people: what the action waits for and what to do. */
  message: z8.string(),
  /** Time of the next attempt (ms since epoch). Null if the next attempt depends on a person. */
  until: z8.int().nullable()
});
var unmetSchema = z8.strictObject({
  /** Number of required services that are not even requested. */
  missing: z8.int(),
  wait: waitSchema
});

// shared/model/template.ts
var serverJarSchema = z9.strictObject({
  bytes: z9.int(),
  modifiedAt: z9.int(),
  /** Title and version from its manifest, or else its main class. Null if the manifest has neither. */
  software: z9.string().nullable()
});
var templateFilesSchema = z9.strictObject({
  revision: z9.string().nullable(),
  files: z9.int(),
  bytes: z9.int(),
  jar: serverJarSchema.nullable(),
  /** Why the folder cannot be used, in one sentence. Null if it can be used. */
  problem: z9.string().nullable()
});
var revisionSchema = z9.strictObject({
  revision: z9.string(),
  /** When services began to start from this content (ms since epoch). */
  at: z9.int(),
  files: z9.int(),
  bytes: z9.int(),
  /** Whether services start from this content now. */
  current: z9.boolean()
});
var templateSchema = z9.strictObject({
  id: templateIdSchema,
  /** The values in use: those of the file, or the last valid ones while the file is faulty. */
  config: configDocument(templateConfigSchema),
  /** Identifies this version of the document. An update must be based on it. */
  configRevision: z9.string(),
  /** Problems of the file on disk. Empty if the file is valid and in use. */
  problems: z9.array(fieldProblemSchema),
  files: templateFilesSchema,
  /**
   * The build that `server.jar` is. Null if there is none, if it neither is included in Overworld nor was downloaded by the
   * master, or for a master of API 4.
   */
  software: softwareChoiceSchema.nullable().default(null),
  /** Whether a person paused the template's automation: no rule starts or stops its services, but they count. */
  held: z9.boolean(),
  /** Services of the template that the rules require but that cannot be requested. Null if none is missing. */
  unmet: unmetSchema.nullable(),
  /**
   * Null unless the template is to be deleted after its last service is removed. Until then no service of it starts,
   * and unused ones are stopped.
   */
  leaving: z9.strictObject({ since: z9.int(), cause: z9.string() }).nullable()
});

// shared/model/template-limit.ts
var templateMaskSchema = z10.string().regex(/^[a-z0-9*?-]{1,64}$/, "must be a template id; * and ? stand for other characters");
var templateLimitSchema = z10.array(templateMaskSchema).min(1).max(64);

// shared/model/role.ts
var roles = ["files", "viewer", "operator", "owner"];
var roleSchema = z11.enum(roles);
var CONTENTS_REFUSAL = "Your key has the role viewer, which can see the names of files, but not read them. An owner can allow it";
var VISIBLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;
var authorizedKeySchema = z11.strictObject({
  name: z11.string().trim().min(1).max(64).regex(VISIBLE, "contains invisible characters (control characters, changes of writing direction)"),
  role: roleSchema,
  /** Null: all templates. A master of API 4 has no limited keys. */
  templates: templateLimitSchema.nullable().default(null),
  /** Fingerprint in the form of OpenSSH: `SHA256:…`. */
  fingerprint: z11.string(),
  addedAt: z11.int()
});

// shared/errors/codes/files.ts
var fileCodes = {
  FILE_NOT_FOUND: code(
    "user",
    ({ path }) => `${path} does not exist. It may have been moved or deleted.`
  ),
  FILE_EXISTS: code("user", ({ path }) => `${path} already exists. Choose another name.`),
  FILE_NAME_INVALID: code(
    "user",
    ({ name }) => `"${name}" cannot be a name: it must not be empty, "." or "..", nor contain a slash.`
  ),
  FILE_FORBIDDEN: code(
    "user",
    ({ path, why }) => `This is not possible for ${path}: ${why}.`
  ),
  FILE_CONTENTS_FORBIDDEN: code(
    "user",
    ({ setting }) => `${CONTENTS_REFUSAL} with the setting ${setting}.`
  ),
  FILE_CHANGED: code(
    "user",
    ({ path }) => `${path} was changed by someone else since you opened it. Nothing was overwritten. Compare both versions, then save again or reload.`
  ),
  FILE_TOO_LARGE: code(
    "user",
    ({ path, bytes, limit }) => `${path} has ${bytes} bytes; the editor opens at most ${limit}. Download it, or open it in another program.`
  ),
  FILE_NOT_TEXT: code(
    "user",
    ({ path }) => `${path} is not a UTF-8 text file, so it cannot be edited here. Open it in another program.`
  ),
  PLACE_FORBIDDEN: code(
    "user",
    ({ path }) => `${path} is not in a folder that this app can access. Add its folder with "Add folder" first.`
  ),
  LOCAL_WRITE_DECLINED: code(
    "user",
    ({ path }) => `${path} on this computer was not changed, because permission was denied. Try again and allow it, or choose another folder.`
  ),
  LOCAL_FILE_UNREADABLE: code(
    "user",
    ({ path, why }) => `${path} on this computer cannot be used: ${why}.`
  ),
  DISK_FULL: code(
    "node",
    ({ path }) => `The disk is full; ${path} was not written. Free some space and try again.`,
    true
  ),
  DISK_RESERVED: code(
    "node",
    ({ path, why }) => `${path} was not written. ${why}`,
    true
  ),
  TRANSFER_FAILED: code(
    "transient",
    ({ path, why }) => `The transfer of ${path} failed: ${why}. No partial file was left behind. Try again.`,
    true
  ),
  SOURCE_REMAINS: code(
    "user",
    ({ path, why }) => `${path} was copied completely, but its source could not be removed completely: ${why}. No data is lost. Try again, or delete the rest of the source yourself.`
  ),
  PLAN_EXPIRED: code(
    "user",
    () => `This transfer was prepared too long ago and has expired. Select the files again.`
  )
};

// shared/errors/codes/install.ts
var installCodes = {
  INSTALL_RUNNING: code(
    "user",
    ({ address }) => `An installation, update or move on ${address} is running, so no other one was started. Wait until it has ended, or cancel it.`
  ),
  INSTALL_JOB_UNKNOWN: code(
    "user",
    ({ job }) => `The installation, update or move ${job} does not exist any more or is complete, so there is nothing to continue. Start a new one.`
  ),
  SERVER_UNREACHABLE: code(
    "transient",
    ({ address, why }) => `The SSH server at ${address} cannot be reached: ${why}. Check address, port and firewall, then continue.`,
    true
  ),
  SERVER_KEY_CHANGED: code(
    "user",
    ({ address, expected, found, source }) => `The server at ${address} has a different host key than the one known from ${source} (expected ${expected}, found ${found}), so nothing was sent to it. Someone may be intercepting the connection. If you know why the key changed, remove the stored key and start again.`
  ),
  SERVER_LOGIN_REFUSED: code(
    "user",
    ({ address, user, why }) => `The server at ${address} does not let ${user} log in: ${why}. Choose another user or login method, then continue.`
  ),
  SERVER_SUDO_REFUSED: code(
    "user",
    ({ address, user, why }) => `The user ${user} cannot become root on ${address}: ${why}. Log in as root, or as a user who may use sudo, then continue.`
  ),
  SERVER_CONNECTION_LOST: code(
    "transient",
    ({ address }) => `The SSH connection to ${address} broke. Nothing is lost. Continue; completed steps are skipped.`,
    true
  ),
  LOGIN_KEY_UNUSABLE: code(
    "user",
    ({ path, why }) => `The private key ${path} cannot be used: ${why}. Correct this or choose another key, then continue.`
  ),
  LOGIN_KEY_NOT_CHOSEN: code(
    "user",
    ({ path }) => `The private key ${path} was not used, because it is not in your SSH folder and was not chosen as a key file in the app. Choose it there, then continue.`
  ),
  SERVER_UNSUITABLE: code(
    "user",
    ({ address, problems }) => `The server at ${address} is not suitable for this master; nothing was changed on it. ${problems.join(" ")}`
  ),
  PACKAGE_MISSING: code(
    "user",
    ({ file, why }) => `The package ${file} of the master is missing: ${why}. Get an app that contains it, or build it with: npm run dist -- --master`
  ),
  UPLOAD_DAMAGED: code(
    "transient",
    ({ file, address, expected, found }) => `The package ${file} arrived damaged on ${address} (SHA-256 ${found} instead of ${expected}), so it was deleted there and not installed. Continue to upload it again.`,
    true
  ),
  INSTALL_STEP_FAILED: code(
    "user",
    ({ step, address, why }) => `The step "${step}" failed on ${address}: ${why}. Correct this on the server, then continue; completed steps are skipped.`
  ),
  MOVE_IMPOSSIBLE: code(
    "user",
    ({ address, problems }) => `The master on ${address} cannot be moved now; nothing was changed on it. ${problems.join(" ")}`
  ),
  MOVE_RETURNED: code(
    "user",
    ({ from, to, why }) => `The master was not moved to ${to}: ${why}. The master on ${from} serves again with its data, and the copy on ${to} is stopped and disabled. Correct the cause, then continue.`
  ),
  MOVE_STUCK: code(
    "user",
    ({ from, to, why, whyNotBack }) => `The master was not moved to ${to}: ${why}. The return to the master on ${from} also failed: ${whyNotBack}. Services keep running, but possibly no master manages them. Continue to try again, or start it by hand: run "systemctl disable --now overworld-master" on ${to} first, then "systemctl enable --now overworld-master" on ${from}. Two masters must never run at once.`
  )
};

// shared/errors/codes/machine.ts
var machineCodes = {
  ROOT_NEEDED: code(
    "user",
    ({ command }) => `The command overworld-master ${command} changes files and services of this machine, which only root may do. Run it with sudo.`
  ),
  MACHINE_UNSUITABLE: code(
    "config",
    ({ why, advice }) => `This machine cannot be set up for the master: ${why}. ${advice}`
  ),
  LOCAL_NODE_IN_USE: code(
    "user",
    ({ services }) => `Services run on this machine (${services}). Move them away first: overworld-master node drain local. Then stop those that stay: overworld-master service stop ID`
  ),
  LOCAL_NODE_NOT_READY: code(
    "transient",
    ({ why }) => `The master cannot run services on this machine yet: ${why}. It keeps trying; see: overworld-master node list. After a correction, run the same command again.`,
    true
  ),
  ADDRESS_UNKNOWN: code(
    "user",
    ({ name }) => `The name ${name} has no address that other machines can reach, so it cannot be the address of the master. Give an IP address of this machine.`
  ),
  COMMAND_FAILED: code(
    "config",
    ({ command, why }) => `The command "${command}" failed on this machine: ${why}. Correct this, then run the same command of overworld-master again. Completed steps are kept.`
  ),
  MASTER_SILENT: code(
    "config",
    ({ unit, state, log }) => `The master does not serve: its unit ${unit} ${state}. ${log === "" ? "" : `It logged: "${log}" `}See more with: journalctl -u ${unit}`,
    true
  )
};

// shared/errors/codes/master.ts
var masterCodes = {
  MASTER_ALREADY_RUNNING: code(
    "user",
    ({ folder, pid }) => `Another master (process ${pid}) uses the data folder ${folder}. Stop it first, or choose another folder with --data.`
  ),
  MASTER_VERSION_MISMATCH: code(
    "user",
    ({ method, theirs, ours }) => `The running master is version ${theirs}, this command version ${ours}, and they do not agree on ${method}. Update the older one. Restart the master after an update.`
  ),
  MASTER_NOT_RUNNING: code(
    "user",
    ({ folder }) => `No master is running on the data folder ${folder}. Start it with: overworld-master run --data ${folder}`
  ),
  MASTER_UNIT_NOT_RUNNING: code(
    "user",
    ({ folder, unit, state }) => `No master is running on the data folder ${folder}: its unit ${unit} ${state}. See why with: journalctl -u ${unit} -n 20. Start it with: systemctl start ${unit}`
  ),
  MASTER_CONNECTION_FAILED: code(
    "transient",
    ({ folder, why }) => `The connection to the master of the data folder ${folder} failed: ${why}. Check it with: overworld-master doctor`,
    true
  ),
  DATA_FOLDER_FORBIDDEN: code(
    "user",
    ({ folder, user }) => `This command needs ${user === "root" ? "root" : `the rights of ${user}, or root`}: other users may not use the data folder ${folder}. Run it with sudo.`
  ),
  MASTER_ENDING: code(
    "transient",
    ({ what }) => `The master is shutting down, so ${what} was not changed. Try again once it is running.`,
    true
  ),
  LOCAL_SERVICES_UNSAFE: code(
    "config",
    ({ why }) => `The master refuses to run services on its own machine, because ${why}. Start it with --no-local, so that they run only on cloud nodes; a master from the package can give them users of their own on this machine (overworld-master local enable). Or start it with --local-unsafe if you trust all of them.`
  ),
  DATA_FOLDER_UNSAFE: code(
    "config",
    ({ path, why }) => `The data folder is not safe to use: ${path} ${why}.`
  ),
  DATA_FAULTY: code(
    "internal",
    ({ path, why }) => `${path} cannot be read: ${why}. It was not changed. Restore it from a backup or move it away.`
  ),
  LISTEN_FAILED: code(
    "config",
    ({ address, why }) => `The master cannot listen on ${address}: ${why}. Choose another address with --ssh-host, or another port with --ssh-port.`
  ),
  KEY_INVALID: code(
    "user",
    ({ why }) => `This is not a valid SSH public key: ${why}. Paste one line of a .pub file, beginning with ssh-ed25519, ecdsa-sha2-\u2026, ssh-rsa or sk-\u2026.`
  ),
  KEY_EXISTS: code(
    "user",
    ({ name, fingerprint }) => `This key (${fingerprint}) is already authorized under the name "${name}".`
  ),
  KEY_NAME_TAKEN: code(
    "user",
    ({ name }) => `Another key has the name "${name}". Choose a different name.`
  ),
  KEY_NOT_FOUND: code(
    "user",
    ({ key }) => `No authorized key has the name or fingerprint "${key}".`
  ),
  KEY_NOT_LIMITABLE: code(
    "user",
    ({ role }) => `A key with the role ${role} cannot be limited to templates. Use the role files or operator.`
  ),
  SESSION_NOT_FOUND: code(
    "user",
    ({ session }) => `No session has the id "${session}". It may have ended already.`
  ),
  KEY_LAST_OWNER: code(
    "user",
    ({ name }) => `"${name}" is the last key with the role owner. Without an owner, this master can no longer be administered. Add another owner first.`
  ),
  FORBIDDEN: code(
    "user",
    ({ method, role, needs }) => `Your key has the role ${role}, but ${method} needs ${needs}. Ask an owner of this master.`
  ),
  PARAMS_INVALID: code(
    "user",
    ({ method, why }) => `The request ${method} was refused: ${why}.`
  ),
  METHOD_UNKNOWN: code(
    "user",
    ({ method }) => `This master does not know the request ${method}. The program that sent it has another version; update the older one.`
  ),
  TOO_MANY: code(
    "user",
    ({ what, limit }) => `Too many ${what} (at most ${limit}). Wait a moment or close some.`,
    true
  ),
  TASK_CANCELLED: code(
    "user",
    ({ task }) => `${task} was cancelled. Changes made so far are kept.`
  )
};

// shared/errors/codes/nodes.ts
var nodeCodes = {
  NODE_NOT_FOUND: code(
    "user",
    ({ node }) => `There is no node "${node}". It may have been released.`
  ),
  NODE_NOT_READY: code(
    "user",
    ({ node, state }) => `Node ${node} is ${state}; only a node that is READY, CORDONED or DRAINING can be cordoned, drained or resumed.`
  ),
  NODE_GOING: code(
    "user",
    ({ node }) => `Node ${node} is being released: its server is being deleted at the provider, which cannot be undone.`
  ),
  NODE_NOT_RENTED: code(
    "user",
    ({ node }) => `Node ${node} is your own machine, not a cloud server, so it cannot be released. Drain it to take it out of use.`
  ),
  NODE_LOCKED: code(
    "user",
    ({ node }) => `Node ${node} is protected from release. Allow its release first.`
  ),
  NODE_UNREACHABLE: code(
    "node",
    ({ node, why }) => `Node ${node} cannot be reached: ${why}. The master keeps trying; nothing on the node was changed.`,
    true
  ),
  NODE_TOOL_FAILED: code(
    "node",
    ({ node, what, why }) => `On node ${node} the master could not ${what}: ${why}. If this keeps happening, drain and release the node; a new one takes its place.`,
    true
  ),
  NODE_OUT_OF_MEMORY: code(
    "node",
    ({ node, service }) => `Node ${node} does not have enough memory to start the JVM of service ${service}. Stop other programs on it, or lower the RAM that the node provides for services.`,
    true
  ),
  NODE_OVERDUE: code(
    "node",
    ({ node, afterMs, why }) => `Node ${node} did not become ready within ${Math.round(afterMs / 1e3)} s: ${why}. It is released, and another one is ordered if it is needed.`,
    true
  ),
  ORDER_REFUSED: code(
    "provider",
    ({ node, why, advice }) => `The provider rejected the order of ${node}: ${why}. ${advice}`,
    true
  ),
  RELEASE_REFUSED: code(
    "provider",
    ({ node, why, advice }) => `The provider refused to delete ${node}: ${why}. ${advice}`,
    true
  ),
  PROVIDER_UNREACHABLE: code(
    "provider",
    ({ why }) => `The hosting provider cannot be reached: ${why}. Services and players are not affected. The master retries automatically.`,
    true
  )
};

// shared/errors/codes/players.ts
var playerCodes = {
  PLAYER_NOT_FOUND: code(
    "user",
    ({ player }) => `The player ${player} is not on this network.`
  ),
  PLAYER_UNREACHABLE: code(
    "transient",
    ({ player, proxy }) => `The player ${player} is on ${proxy}, whose plugin is not linked to the master. Try again once it is linked.`,
    true
  ),
  SERVICE_NOT_JOINABLE: code(
    "user",
    ({ service, why }) => `Players cannot be sent to ${service}: ${why}. Choose a game server that is running.`
  ),
  IN_GAME_STOP_OFF: code(
    "user",
    ({ setting }) => `Services cannot be stopped in game on this network. An owner can allow it with the setting ${setting}.`
  ),
  IN_GAME_STOP_LIMIT: code(
    "transient",
    ({ proxy, limit, seconds }) => `The proxy ${proxy} has asked to stop ${limit} services within a minute, which is its limit. Try again in ${seconds} s, or stop the service in the app.`,
    true
  ),
  LINK_ADDRESS_FOREIGN: code(
    "config",
    ({ address, own }) => `Plugins cannot reach the master: communication.hostname is ${address}, which is not an address of this machine (its addresses: ${own}). Set one of these in the master configuration and restart the master.`
  ),
  LINK_LISTEN_FAILED: code(
    "config",
    ({ address, why }) => `Plugins cannot reach the master: it cannot listen on ${address}: ${why}. Stop the program that uses the port, or set another communication.port and restart the master.`
  ),
  PLUGIN_JAR_MISSING: code(
    "config",
    ({ path }) => `Overworld's plugin is missing at ${path}: players cannot be counted or sent to services, and max_online_players is not enforced. Copy the whole folder of the master again (in a clone of the project: npm run build), and restart the master.`
  ),
  BALANCER_CONFIG_MISSING: code(
    "config",
    ({ path }) => `There is no load balancer configuration at ${path}. Install HAProxy (apt-get install haproxy), or correct balancer.config_path.`
  ),
  BALANCER_CONFIG_UNUSABLE: code(
    "config",
    ({ path, why }) => `The load balancer configuration ${path} was not changed: ${why}.`
  ),
  BALANCER_PROGRAM_MISSING: code(
    "config",
    ({ path }) => `HAProxy is not installed on this machine, so ${path} is not used. Install it (apt-get install haproxy). If players are to join a proxy directly instead, set balancer.config_path to a file that does not exist.`
  ),
  BALANCER_ENTRY_REFUSED: code(
    "config",
    ({ addition, inForce, why }) => `HAProxy rejects balancer.entry_addition "${addition}": ${why}. ${inForce === null ? "Nothing was changed. Correct it." : `"${inForce}" remains in effect until it is corrected.`}`
  ),
  BALANCER_RELOAD_FAILED: code(
    "transient",
    ({ path, why }) => `HAProxy could not reload ${path}: ${why}. Connected players are not affected. The master retries automatically. To reload it by hand, run: systemctl reload haproxy.`,
    true
  ),
  BALANCER_PORT_TAKEN: code(
    "transient",
    ({ port }) => `HAProxy does not accept players yet: another program on this machine uses port ${port}. If it is a proxy of this network, restart that service. It gets another port, and HAProxy uses this one.`,
    true
  ),
  BALANCER_UNREACHABLE: code(
    "transient",
    ({ path, why }) => `HAProxy cannot be reached through ${path}: ${why}. Connected players are not affected; see docs/balancer.md for what it needs.`,
    true
  )
};

// shared/errors/codes/services.ts
var START_TIMEOUT_ADVICE = {
  "status-off": 'It has enable-status=false in its server.properties, so it counts as started once its plugin is linked or its log says "Done". Neither happened. Set enable-status to true, or look at its log.',
  "log-quiet": "Its log has no new lines. Either the start hangs, or the server runs and does not answer status pings. The log may show why.",
  "too-long": "Its log still has new lines, but the maximum start time is reached. The log may show what the server is waiting for."
};
var serviceCodes = {
  SERVICE_NOT_FOUND: code(
    "user",
    ({ service }) => `There is no service "${service}". It has probably stopped. The activity log shows why.`
  ),
  SERVICE_HAS_NO_FILES: code(
    "user",
    ({ service }) => `Service ${service} has no files now, because it is not on a node. A service gets its folder when it starts, and the folder is deleted when the service ends.`
  ),
  SERVICE_COPY_TOO_LARGE: code(
    "user",
    ({ service, limitGb }) => `The copy of ${service} would have more than ${limitGb} GB. Choose fewer files, for example with overworld-master service files keep ${service} world.`
  ),
  SERVICE_COPIES_FULL: code(
    "user",
    ({ folder, limit }) => `The master already keeps ${limit} copies of services, which is the maximum. Delete copies in ${folder} that are no longer needed.`
  ),
  SERVICE_NOT_STARTED: code(
    "user",
    ({ service, state }) => `Service ${service} has no running process while it is ${state}. Wait until it is RUNNING.`
  ),
  CAP_REACHED: code(
    "user",
    ({ template, maximum }) => `Template ${template} has reached its maximum of ${maximum} services. Raise maximumOnlineServers or stop one first.`
  ),
  CONSOLE_BLOCKED: code(
    "service",
    ({ service }) => `Service ${service} does not read its console, so the command was not sent. Check its log, or kill the service.`,
    true
  ),
  SERVICE_EXITED: code(
    "service",
    ({ service, exit, lastLine }) => `Service ${service} exited unexpectedly (${exit})${lastLine === null ? "" : `; its last line was "${lastLine}"`}. Its log may show the reason.`,
    true
  ),
  SERVICE_START_TIMEOUT: code(
    "service",
    ({ service, afterMs, why }) => `Service ${service} did not answer a status ping within ${Math.round(afterMs / 1e3)} s of its start and was stopped. ${START_TIMEOUT_ADVICE[why]}`,
    true
  ),
  SERVICE_UNRESPONSIVE: code(
    "service",
    ({ service, forMs }) => `Service ${service} has not answered a status ping for ${Math.round(forMs / 1e3)} s, although its process is running. Check its console.`,
    true
  ),
  EULA_NOT_ACCEPTED: code(
    "config",
    ({ service, template }) => `Service ${service} exited because the Minecraft EULA is not accepted. Read it, then add a file eula.txt with the line eula=true to template ${template}.`
  ),
  JAVA_MISSING: code(
    "node",
    ({ looked }) => `No Java runtime was found (looked for ${looked.join(", ")}). Install one, for example with: apt-get install default-jre-headless`
  ),
  JAVA_TOO_OLD: code(
    "config",
    ({ service, template, needs }) => `Service ${service} needs Java ${needs} or newer, but was started with an older one. Set java of template ${template} to "${needs}". If the template has a folder jre/, remove it, or replace it with Java ${needs}.`
  ),
  JAVA_UNAVAILABLE: code(
    "node",
    ({ version, node, why }) => `Java ${version} is needed, and could not be installed on ${node}: ${why}. Install it there, or put it into the jre/ folder of the template.`,
    true
  ),
  PORT_NONE_FREE: code(
    "node",
    ({ from, to }) => `No free port is left between ${from} and ${to} on this node. Stop other programs that use these ports.`,
    true
  ),
  PREPARE_FAILED: code(
    "node",
    ({ service, why }) => `Service ${service} could not be prepared: ${why}.`,
    true
  )
};

// shared/errors/codes/software.ts
var softwareCodes = {
  SOFTWARE_TYPE_DIFFERS: code(
    "user",
    ({ template, software, isProxy }) => `Template ${template} is for ${isProxy ? "game servers" : "proxies"}, but ${software} is a ${isProxy ? "proxy" : "game server"}. Choose other software, or change the template's type.`
  ),
  SOFTWARE_NOT_DOWNLOADED: code(
    "user",
    ({ software }) => `${software} is not on the master. Download it first.`,
    true
  ),
  SOFTWARE_SOURCE_UNREACHABLE: code(
    "transient",
    ({ publisher, host, why }) => `${publisher} cannot be reached at ${host}: ${why}. Check the master's internet access and try again, or upload a server.jar.`,
    true
  ),
  SOFTWARE_RATE_LIMITED: code(
    "transient",
    ({ publisher, seconds }) => `${publisher} accepts no more requests from this master for now. Try again ${seconds === null ? "in some minutes" : `in ${seconds} s`}.`,
    true
  ),
  SOFTWARE_NOT_FOUND: code(
    "user",
    ({ publisher, what }) => `${publisher} does not offer ${what}. Choose another version or build.`
  ),
  SOFTWARE_ANSWER_UNREADABLE: code(
    "transient",
    ({ publisher, what, why }) => `${publisher} sent an answer for ${what} that cannot be used: ${why}. Try again later, or upload a server.jar.`,
    true
  ),
  SOFTWARE_ADDRESS_REFUSED: code(
    "internal",
    ({ publisher, address }) => `${publisher} refers to ${address}, which is none of its known addresses, so nothing was downloaded from there. Upload a server.jar, and report this.`
  ),
  SOFTWARE_HASH_DIFFERS: code(
    "transient",
    ({ what, algorithm, stated, actual }) => `The download of ${what} is damaged or was changed, and was deleted: its ${algorithm} is ${actual} and should be ${stated}. Try again. If it happens again, do not use this build.`,
    true
  ),
  BUNDLED_JAR_MISSING: code(
    "config",
    ({ path }) => `The practice software is missing at ${path}. Copy the whole folder of the master again (in a clone of the project: npm run build).`
  ),
  EULA_REQUIRED: code(
    "user",
    ({ software }) => `${software} contains Minecraft's server, so Mojang's EULA applies to its use. Read it at https://aka.ms/MinecraftEULA, and accept it to continue.`
  )
};

// shared/errors/codes/templates.ts
var templateCodes = {
  CONFIG_FAULTY: code(
    "config",
    ({ document, problems }) => `${document} is faulty and was not applied: ${problems.map(problemSentence).join(" ")} Correct it and save again.`
  ),
  CONFIG_CONFLICT: code(
    "user",
    ({ document }) => `${document} was changed by someone else since you opened it. Nothing was overwritten. Reload it and apply your changes again.`
  ),
  DOCUMENT_NOT_TEXT: code(
    "config",
    ({ document, why }) => `${document} cannot be opened as text: its file ${why}. Replace it with the values in use, or repair the file on the master's disk.`
  ),
  TEMPLATE_NOT_FOUND: code(
    "user",
    ({ template }) => `There is no template "${template}". It may have been deleted.`
  ),
  TEMPLATE_EXISTS: code(
    "user",
    ({ template }) => `A template with the id "${template}" already exists. Choose another id.`
  ),
  TEMPLATES_LEFT: code(
    "node",
    ({ why, left }) => `The templates could not be created: ${why} ${left.join(", ")} could not be removed again. The master removes them at its next start; or delete them, and then try again.`
  ),
  TEMPLATE_IN_USE: code(
    "user",
    ({ template, services }) => `Template ${template} has ${services.length} service(s) (${services.slice(0, 5).join(", ")}). Stop them first, or delete the template together with them.`
  ),
  TEMPLATE_LEAVING: code(
    "user",
    ({ template }) => `Template ${template} is being deleted, so it starts no services. Cancel the deletion to keep using it.`
  ),
  TEMPLATE_UNREADABLE: code(
    "config",
    ({ template, why }) => `The files of template ${template} cannot be used: ${why}. Correct the folder. Its services then start automatically.`
  ),
  SERVER_JAR_MISSING: code(
    "config",
    ({ template }) => `The folder of template ${template} has no server.jar, so its services cannot start. Upload one. They then start automatically.`
  ),
  REVISION_NOT_FOUND: code(
    "user",
    ({ template, revision }) => `Revision ${revision} of template ${template} is no longer stored. Choose another one.`
  )
};

// shared/errors/codes/upgrade.ts
var upgradeCodes = {
  UPGRADE_IMPOSSIBLE: code(
    "config",
    ({ why }) => `The master of this machine cannot be upgraded by this command: ${why}.`
  ),
  UPGRADE_REFUSED: code(
    "user",
    ({ file, why }) => `${file} is not installed: ${why}. Nothing was changed, and the master keeps running.`
  ),
  UPGRADE_FAILED: code(
    "config",
    ({ before, why }) => `The upgrade failed before it changed the master: ${why}. Version ${before} remains installed. Correct the cause and start the upgrade again.`
  ),
  UPGRADE_RETURNED: code(
    "internal",
    ({ version, before, why }) => `Version ${version} was installed and removed again, because ${why}. Version ${before} is installed again with its data; overworld-master upgrade --status shows what the newer version logged.`
  ),
  UPGRADE_STUCK: code(
    "internal",
    ({ version, before, why, whyNotBack, folder }) => `Version ${version} was installed, but ${why}, and the return to version ${before} failed: ${whyNotBack}. Services keep running, but possibly no master is running. The package and the data of version ${before} are in ${folder}; install that package by hand.`
  ),
  UPGRADE_INTERRUPTED: code(
    "transient",
    ({ before }) => `The upgrade was interrupted before it had finished, for example by a restart of the machine. The previous version is ${before}. Start the upgrade again: it continues, and still returns to version ${before} if necessary.`,
    true
  )
};

// shared/errors/codes/volumes.ts
var volumeCodes = {
  VOLUME_NOT_FOUND: code(
    "user",
    ({ volume }) => `There is no volume "${volume}". It may have been deleted.`
  ),
  VOLUME_EXISTS: code(
    "user",
    ({ volume }) => `Volume ${volume} exists already. Choose another number, or delete that volume first.`
  ),
  VOLUME_IN_USE: code(
    "user",
    ({ volume, service, node }) => `Volume ${volume} is in use: it belongs to service ${service}${node === null ? "" : ` on ${node}`} now. Stop that service first; its data is saved then.`
  ),
  VOLUME_NOT_ATTACHED: code(
    "user",
    ({ volume }) => `No service uses volume ${volume}, so there is nothing to save: its newest save has all of its data.`
  ),
  VOLUME_NOT_LOST: code(
    "user",
    ({ volume, node }) => `The data of volume ${volume} is not lost: node ${node} answers, and no save of it has failed. Stop the service to save it.`
  ),
  VOLUME_QUOTA: code(
    "config",
    ({ volume, setting, needsMb, limitMb }) => `Volume ${volume} was not saved: that needs ${needsMb} MB, and ${setting} allows ${limitMb} MB. Raise the quota, or delete saves or volumes. Until then, its data stays on its node.`,
    true
  ),
  VOLUME_SAVE_FAILED: code(
    "node",
    ({ volume, node, why }) => `Volume ${volume} could not be saved from ${node}: ${why}. Its data stays there, and the save is retried. Give up this data only with "volume attach ${volume} --accept-loss".`,
    true
  ),
  VOLUME_UNREADABLE: code(
    "config",
    ({ volume, why }) => `The saves of volume ${volume} cannot be read: ${why}. Repair the master's disk, or restore another save.`
  ),
  IMPORT_UNUSABLE: code(
    "user",
    ({ volume, why }) => `The files cannot become a save of volume ${volume}: ${why}. Correct the archive and import it again.`
  ),
  SAVE_NOT_FOUND: code(
    "user",
    ({ volume, save }) => `Save ${save} of volume ${volume} is no longer stored. Choose another one.`
  )
};

// shared/errors/codes.ts
var errorCodes = {
  ...templateCodes,
  ...softwareCodes,
  ...serviceCodes,
  ...volumeCodes,
  ...nodeCodes,
  ...masterCodes,
  ...machineCodes,
  ...connectionCodes,
  ...fileCodes,
  ...installCodes,
  ...playerCodes,
  ...upgradeCodes,
  ERROR_OF_OTHER_VERSION: code(
    "internal",
    ({ code: theirs, message }) => `${message} (${theirs})`
  ),
  INTERNAL: code(
    "internal",
    ({ what }) => `Something went wrong inside Overworld: ${what}. This is a bug in Overworld. Please report it.`
  )
};

// shared/errors/overworld-error.ts
var OverworldError = class extends Error {
  name = "OverworldError";
  code;
  details;
  constructor(code2, details, cause) {
    const sentence = errorCodes[code2].sentence;
    super(sentence(details), cause === void 0 ? void 0 : { cause });
    this.code = code2;
    this.details = details;
  }
  get category() {
    return errorCodes[this.code].category;
  }
  get retry() {
    return errorCodes[this.code].retry;
  }
};
function hasCode(error, code2) {
  return error instanceof OverworldError && error.code === code2;
}

// test/support/files/template-fixture.ts
import { mkdir as mkdir5, writeFile as writeFile2 } from "node:fs/promises";
import { dirname as dirname5, join as join14 } from "node:path";

// master/templates/template-folders.ts
import { mkdir as mkdir4, readdir as readdir5, rename as rename4 } from "node:fs/promises";
import { join as join12, relative as relative2, sep as sep4 } from "node:path";

// master/store/disk-reserve.ts
import { statfsSync, statSync } from "node:fs";

// shared/node/clock.ts
function monotonicMs() {
  return Math.floor(performance.now());
}
function preciseMs() {
  return performance.now();
}

// master/store/disk-reserve.ts
var MB = 2 ** 20;
var MAX_AGE_MS = 100;
var LARGE_BYTES = 2 * MB;
var MAX_SHARE = 0.25;
var RESERVED_FILES = 1e4;
var ENTRY_BYTES = 4096;
var DiskReserveReached = class extends Error {
  name = "DiskReserveReached";
};
var DiskReserve = class {
  #options;
  #measured = null;
  #measuredAt = -Infinity;
  /** Bytes of the writes in progress. The measurement may contain them already, so they are never undercounted. */
  #inProgress = 0;
  /** Bytes of the writes that have finished since the measurement. */
  #finished = 0;
  constructor(options) {
    this.#options = options;
  }
  /** Returns the number of bytes that stay free on a disk of the given size: the setting, at most a quarter. */
  reservedBytes(totalBytes) {
    return Math.min(this.#options.reserveBytes(), Math.floor(totalBytes * MAX_SHARE));
  }
  /**
   * Checks that `bytes` more can be written. For a file with holes, `bytes` is how much its apparent size grows.
   *
   * @throws DiskReserveReached; errno errors if the disk cannot be measured
   */
  require(bytes) {
    if (this.#options.reserveBytes() <= 0 || bytes <= 0) return;
    if (bytes < LARGE_BYTES && bytes <= this.#available()) return;
    this.#measure();
    if (bytes <= this.#available()) return;
    const { freeBytes, totalBytes } = this.#measured ?? NO_SPACE;
    throw new DiskReserveReached(
      `The master's disk has ${inMb(freeBytes)} free, of which ${inMb(this.reservedBytes(totalBytes))} are reserved for the master's own data. This needs ${inMb(bytes)}. Delete unneeded files, or use a larger disk.`
    );
  }
  /**
   * Checks that one more file or folder can be created.
   *
   * @throws DiskReserveReached; errno errors if the disk cannot be measured
   */
  requireEntry() {
    if (this.#options.reserveBytes() <= 0) return;
    this.require(ENTRY_BYTES);
    if (this.#hasFreeFiles()) return;
    this.#measure();
    if (this.#hasFreeFiles()) return;
    throw new DiskReserveReached(
      `The master's disk has room for only ${this.#measured?.freeFiles ?? 0} more files, which stay reserved for the master's own data. Delete unneeded files.`
    );
  }
  /**
   * Writes `bytes` bytes with `work`, if they can be written.
   *
   * @throws DiskReserveReached before `work` is called; errors of `work`
   */
  async use(bytes, work) {
    this.require(bytes);
    this.#inProgress += bytes;
    try {
      return await work();
    } finally {
      this.#inProgress -= bytes;
      this.#finished += bytes;
    }
  }
  #available() {
    const { freeBytes, totalBytes } = this.#current();
    return freeBytes - this.#inProgress - this.#finished - this.reservedBytes(totalBytes);
  }
  #hasFreeFiles() {
    const { freeFiles, totalFiles } = this.#current();
    return totalFiles === 0 || freeFiles > Math.min(RESERVED_FILES, totalFiles * MAX_SHARE);
  }
  #current() {
    const fresh = this.#options.now() - this.#measuredAt <= MAX_AGE_MS;
    return fresh && this.#measured !== null ? this.#measured : this.#measure();
  }
  #measure() {
    this.#measured = this.#options.measure();
    this.#measuredAt = this.#options.now();
    this.#finished = 0;
    return this.#measured;
  }
};
function inMb(bytes) {
  return `${Math.ceil(bytes / MB * 10) / 10} MB`;
}
var NO_SPACE = { freeBytes: 0, totalBytes: 0, freeFiles: 0, totalFiles: 0 };
var DiskReserves = class {
  #reserveBytes;
  #byDevice = /* @__PURE__ */ new Map();
  /** @param reserveBytes returns the setting `storage.disk_reserve` (bytes); 0 switches all checks off */
  constructor(reserveBytes) {
    this.#reserveBytes = reserveBytes;
  }
  /** Returns the reserve of the disk of an existing folder. Throws errno errors. */
  of(folder) {
    const { dev } = statSync(folder);
    const known = this.#byDevice.get(dev);
    if (known !== void 0) return known;
    const measure = () => measureDisk(folder);
    const reserve = new DiskReserve({ measure, reserveBytes: this.#reserveBytes, now: preciseMs });
    this.#byDevice.set(dev, reserve);
    return reserve;
  }
};
function noReserves() {
  return new DiskReserves(() => 0);
}
function measureDisk(folder) {
  const { bsize, bavail, blocks, ffree, files } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles: ffree, totalFiles: files };
}

// master/store/write-durably.ts
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import writeFileAtomic from "write-file-atomic";
async function writeDurably(path, content, mode = 384) {
  await mkdir(dirname(path), { recursive: true, mode: 448 });
  await writeFileAtomic(path, content, { mode, fsync: true });
  await syncFolder(dirname(path));
}
async function syncFolder(path) {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

// master/templates/disk-problem.ts
var sentences = {
  EACCES: "the master has no permission to read it",
  EPERM: "the master has no permission to read it",
  ENOENT: "it does not exist",
  ENOTDIR: "it is not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reports a read or write error",
  EROFS: "the disk is read-only",
  ENAMETOOLONG: "its name is too long"
};
function diskCode(error) {
  return error instanceof Error ? error.code : void 0;
}
function diskProblem(error) {
  const code2 = diskCode(error);
  if (code2 !== void 0 && sentences[code2] !== void 0) return sentences[code2];
  return error instanceof Error ? error.message : String(error);
}
function isDiskFull(error) {
  const code2 = diskCode(error);
  return code2 === "ENOSPC" || code2 === "EDQUOT";
}

// master/templates/new-file.ts
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

// master/templates/copy-file.ts
import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { chmod, copyFile, open as open2 } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
async function copyNewFile(source, destination, mode) {
  await copyFile(source, destination, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(destination, mode & 511 | 384);
}
async function hashFile(path) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
async function flushFile(path) {
  const file = await open2(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
async function copyAndHash(source, destination, mode) {
  await copyNewFile(source, destination, mode);
  const hash = await hashFile(destination);
  await flushFile(destination);
  return hash;
}

// master/templates/new-file.ts
async function writeNewFile(file, folder, reserve) {
  const path = join(folder, file.name);
  if ("text" in file) {
    await reserve.use(
      Buffer.byteLength(file.text),
      () => writeFile(path, file.text, { mode: 384, flag: "wx" })
    );
  } else {
    const { size } = await stat(file.copyOf);
    await reserve.use(size, () => copyNewFile(file.copyOf, path, 384));
  }
  await flushFile(path);
}
var COMING = ".overworld-new-";
async function replaceFiles(files, folder, reserve) {
  const coming = ({ name }) => join(folder, `${COMING}${name}`);
  try {
    for (const file of files) {
      await rm(coming(file), { force: true });
      await writeNewFile({ ...file, name: `${COMING}${file.name}` }, folder, reserve);
    }
    for (const file of files) await rename(coming(file), join(folder, file.name));
    await syncFolder(folder);
  } catch (error) {
    for (const file of files) await rm(coming(file), { force: true });
    throw error;
  }
}

// master/templates/pinned-folder.ts
import { constants as constants2, readlinkSync } from "node:fs";
import { open as open3, readdir, realpath, rm as rm2, rmdir, unlink } from "node:fs/promises";
import { join as join2, sep } from "node:path";
var isLinux = process.platform === "linux";
var FOLDER = constants2.O_RDONLY | constants2.O_DIRECTORY;
async function pinFolder(root2, folder) {
  const path = join2(root2, folder);
  if (!isLinux) {
    const real = await realpath(path);
    requireInside(root2, real, folder);
    return { path: real, close: () => Promise.resolve() };
  }
  const handle = await open3(path, FOLDER);
  try {
    const own = pathOf(handle);
    requireInside(root2, readlinkSync(own), folder);
    return { path: own, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
async function inFolder(root2, folder, work) {
  const pinned = await pinFolder(root2, folder);
  try {
    return await work(pinned.path);
  } finally {
    await pinned.close();
  }
}
function requireInside(root2, real, folder) {
  if (real === root2 || real.startsWith(root2 + sep)) return;
  throw new Error(`${folder} was replaced by a link to ${real}`);
}
async function removeTree(path) {
  if (isLinux) await removeAt(Buffer.from(path));
  else await rm2(path, { recursive: true, force: true });
}
async function removeAt(path) {
  const handle = await openFolder(path);
  if (handle === null) {
    await ifExists(unlink(path));
    return;
  }
  try {
    const own = Buffer.from(`${pathOf(handle)}/`);
    for (const name of await readdir(own, { encoding: "buffer" })) await removeAt(Buffer.concat([own, name]));
  } finally {
    await handle.close();
  }
  await ifExists(rmdir(path));
}
async function openFolder(path) {
  try {
    return await open3(path, FOLDER | constants2.O_NOFOLLOW);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(diskCode(error) ?? "")) return null;
    throw error;
  }
}
async function ifExists(work) {
  try {
    await work;
  } catch (error) {
    if (diskCode(error) !== "ENOENT") throw error;
  }
}
function pathOf(handle) {
  return `/proc/self/fd/${handle.fd}`;
}

// master/templates/folder-content.ts
import { join as join5 } from "node:path";

// master/templates/jar-info.ts
import { openPromise } from "yauzl";
import { z as z12 } from "zod";

// master/templates/configs/paper-version.ts
function minecraftOf(versionsList) {
  const [, id] = versionsList.split("\n", 1)[0]?.split("	") ?? [];
  return id !== void 0 && /^[0-9][0-9A-Za-z.-]{0,31}$/.test(id) ? id : null;
}

// master/templates/jar-info.ts
var MAX_ENTRIES = 5e4;
var MANIFEST = "META-INF/MANIFEST.MF";
var VERSIONS = "META-INF/versions.list";
var VERSION_JSON = "version.json";
var CLASS_MAGIC = 3405691582;
var MAX_TEXT_BYTES = 64 * 1024;
var MAX_SOFTWARE_LENGTH = 100;
async function readJar(path) {
  let zip;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: true });
  } catch (error) {
    const { code: code2 } = error;
    if (code2 !== void 0) throw error;
    return { kind: "broken", why: "it is not a complete zip archive" };
  }
  try {
    return { kind: "jar", ...await readTexts(zip) };
  } catch {
    return { kind: "jar", software: null, versions: null, needsJava: null };
  } finally {
    zip.close();
  }
}
async function readTexts(zip) {
  const reader = new JarReader(zip);
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    await reader.look(entry);
    if (++count >= MAX_ENTRIES) break;
  }
  return reader.found();
}
var JarReader = class {
  #zip;
  #attributes = /* @__PURE__ */ new Map();
  #versions = null;
  #declared = null;
  #classFile = null;
  /** Path of the main class; null until the manifest is read. */
  #mainPath = null;
  /** Classes before the manifest, which usually is the first file. */
  #earlier = /* @__PURE__ */ new Map();
  constructor(zip) {
    this.#zip = zip;
  }
  async look(entry) {
    const { fileName } = entry;
    if (fileName === this.#mainPath) this.#classFile = classFileOf(await readStart(this.#zip, entry, 8));
    else if (fileName.endsWith(".class")) {
      if (this.#mainPath === null) this.#earlier.set(fileName, entry);
    } else if (fileName === VERSIONS) this.#versions = await this.#text(entry);
    else if (fileName === VERSION_JSON) this.#declared = declaredIn(await this.#text(entry));
    else if (fileName.toUpperCase() === MANIFEST) await this.#readManifest(entry);
  }
  found() {
    const attributes = this.#attributes;
    const software = softwareIn(attributes);
    const minecraft = this.#versions === null ? null : minecraftOf(this.#versions);
    const javaVersion = attributes.get("java-version") ?? null;
    const buildJdk = attributes.get("build-jdk-spec") ?? null;
    const facts = { classFile: this.#classFile, declared: this.#declared, minecraft, javaVersion, buildJdk };
    const versions = /clip\b/i.test(software ?? "") ? this.#versions : null;
    return { software, versions, needsJava: javaNeedOf(facts) };
  }
  async #readManifest(entry) {
    this.#attributes = attributesOf(await this.#text(entry));
    this.#mainPath = `${(this.#attributes.get("main-class") ?? "").replaceAll(".", "/")}.class`;
    const passed = this.#earlier.get(this.#mainPath);
    if (passed !== void 0) this.#classFile = classFileOf(await readStart(this.#zip, passed, 8));
    this.#earlier.clear();
  }
  async #text(entry) {
    return (await readStart(this.#zip, entry, MAX_TEXT_BYTES)).toString("utf8");
  }
};
async function readStart(zip, entry, maxBytes) {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
function classFileOf(start) {
  return start.length === 8 && start.readUInt32BE(0) === CLASS_MAGIC ? start.readUInt16BE(6) : null;
}
function declaredIn(text) {
  try {
    return versionJsonSchema.parse(JSON.parse(text)).java_version;
  } catch {
    return null;
  }
}
var versionJsonSchema = z12.object({ java_version: z12.int().min(1).max(999) });
function attributesOf(manifest) {
  const [main = ""] = manifest.replace(/\r\n?/g, "\n").split("\n\n", 1);
  return new Map(
    main.replace(/\n /g, "").split("\n").map((line) => [
      line.slice(0, Math.max(0, line.indexOf(":"))).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim()
    ])
  );
}
function softwareIn(attributes) {
  for (const prefix of ["implementation", "specification"]) {
    const title = attributes.get(`${prefix}-title`);
    if (title === void 0 || title === "") continue;
    return printable([title, attributes.get(`${prefix}-version`)].filter(Boolean).join(" "));
  }
  const mainClass = attributes.get("main-class");
  return mainClass === void 0 || mainClass === "" ? null : printable(mainClass);
}
function printable(text) {
  return text.replace(/\p{C}/gu, "").slice(0, MAX_SOFTWARE_LENGTH);
}

// master/templates/revisions/scan-folder.ts
import { lstat, readdir as readdir2, realpath as realpath3 } from "node:fs/promises";
import { join as join4 } from "node:path";

// master/templates/links.ts
import { constants as constants3 } from "node:fs";
import { open as open4, readlink, realpath as realpath2 } from "node:fs/promises";
import { join as join3, relative, sep as sep2 } from "node:path";
async function resolveLink(root2, path) {
  const target = await readlink(join3(root2, path)).catch(() => "?");
  const refused = (why) => ({
    kind: "refused",
    why: `is a symbolic link to ${target}, ${why}`
  });
  let real;
  try {
    real = await realpath2(join3(root2, path));
  } catch (error) {
    return diskCode(error) === "ELOOP" ? refused("which forms a loop; remove it") : refused("which does not exist; remove it or replace it with the file itself");
  }
  if (real === root2 || root2.startsWith(real + sep2)) return refused("a folder that contains it; remove it");
  if (!real.startsWith(root2 + sep2))
    return refused("outside of the folder; replace it with a copy of the file (cp -L)");
  return { kind: "inside", path: relative(root2, real).split(sep2).join("/") };
}
async function openWithoutLinks(path) {
  const file = await open4(path, constants3.O_RDONLY | constants3.O_NOFOLLOW | constants3.O_NONBLOCK);
  if ((await file.stat()).isFile() && await realPathOf(file, path) === path) return file;
  await file.close();
  return null;
}
async function realPathOf(file, path) {
  return (process.platform === "linux" ? readlink(`/proc/self/fd/${file.fd}`) : realpath2(path)).catch(
    () => null
  );
}

// master/templates/upload-names.ts
function isUploadInProgress(name) {
  return isOwnTemporary(name) || /\.(?:file)?part$/i.test(name);
}
function isOwnTemporary(name) {
  return name.startsWith(".overworld-");
}

// master/templates/revisions/scan-folder.ts
var MAX_FILES = 2e5;
var MAX_DEPTH = 64;
var Unusable = class extends Error {
};
async function scanFolder(root2) {
  const files = [];
  const links = [];
  let realRoot = root2;
  let newestChangeMs = 0;
  async function visit2(at, around) {
    const { path, source } = at;
    if (around.length > MAX_DEPTH) throw new Unusable(`${path} is nested deeper than ${MAX_DEPTH} folders`);
    const names = (await read(path, () => readdir2(join4(root2, source)))).filter(
      (name) => !isUploadInProgress(name)
    );
    const inside = [...around, source];
    for (const name of names) {
      await look({ path: inFolder2(path, name), source: inFolder2(source, name) }, inside);
    }
    return names.length;
  }
  async function look({ path, source }, around) {
    if (path.includes("\uFFFD")) throw new Unusable(`the name of ${path} is not valid UTF-8; rename it`);
    const stats = await read(path, () => lstat(join4(root2, source), { bigint: true }));
    newestChangeMs = Math.max(newestChangeMs, Number(stats.ctimeMs));
    if (stats.isSymbolicLink()) {
      const target = await resolveLink(realRoot, source);
      if (target.kind === "refused") throw new Unusable(`${path} ${target.why}`);
      if (around.includes(target.path))
        throw new Unusable(`${path} is a symbolic link to a folder that contains it; remove it`);
      if (path === source) links.push(path);
      await look({ path, source: target.path }, around);
      return;
    }
    const folder = stats.isDirectory();
    if (!folder && !stats.isFile()) throw new Unusable(`${path} is neither a file nor a folder; remove it`);
    if (folder && await visit2({ path, source }, around) > 0) return;
    if (files.length >= MAX_FILES) throw new Unusable(`it contains more than ${MAX_FILES} files`);
    const { mtimeNs, ctimeNs, ino } = stats;
    files.push({
      path: folder ? `${path}/` : path,
      source,
      size: folder ? 0 : Number(stats.size),
      mode: Number(stats.mode & 0o777n),
      modifiedAtMs: Number(stats.mtimeMs),
      stamp: folder ? String(stats.mode) : [stats.size, mtimeNs, ctimeNs, ino].join(":")
    });
  }
  try {
    const stats = await read("", () => lstat(root2));
    if (stats.isSymbolicLink()) throw new Unusable("it is a symbolic link; make it a folder");
    realRoot = await read("", () => realpath3(root2));
    await visit2({ path: "", source: "" }, []);
  } catch (error) {
    if (error instanceof Unusable) return { kind: "problem", problem: error.message };
    throw error;
  }
  files.sort((a, b) => a.path < b.path ? -1 : 1);
  return { kind: "ok", files, links, newestChangeMs };
}
function inFolder2(folder, name) {
  return folder === "" ? name : `${folder}/${name}`;
}
async function read(path, call) {
  try {
    return await call();
  } catch (error) {
    throw new Unusable(path === "" ? diskProblem(error) : `${path} cannot be read: ${diskProblem(error)}`);
  }
}
function modifiedAtMs(stamp) {
  return Number(BigInt(stamp.split(":")[1] ?? 0) / 1000000n);
}
function isSameScan(a, b) {
  return a.length === b.length && a.every((file, index) => file.path === b[index]?.path && file.stamp === b[index].stamp);
}

// master/templates/folder-content.ts
var OWN_JAVA = "jre/bin/java";
var NO_CONTENT = {
  files: 0,
  bytes: 0,
  jar: null,
  bringsJava: false,
  needsJava: null,
  problem: null
};
function unusable(why) {
  return { ...NO_CONTENT, problem: `Its folder cannot be used: ${why}.` };
}
async function describeContent(seen, place) {
  const files = seen.filter(({ path }) => !path.endsWith("/"));
  return {
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    bringsJava: files.some(({ path }) => path === OWN_JAVA),
    ...await describeJar(seen, place)
  };
}
async function describeJar(seen, place) {
  const file = seen.find(({ path }) => path === "server.jar");
  if (file === void 0) {
    const isFolder2 = seen.some(({ path }) => path.startsWith("server.jar/"));
    const problem = isFolder2 ? "server.jar is a folder; it must be the server software itself." : null;
    return { jar: null, needsJava: null, problem };
  }
  const reading = await readJar(join5(place, "server.jar"));
  const software = reading.kind === "jar" ? reading.software : null;
  const jar = { bytes: file.size, modifiedAt: Math.round(file.modifiedAtMs), software };
  if (reading.kind === "jar") return { jar, needsJava: reading.needsJava, problem: null };
  return { jar, needsJava: null, problem: `server.jar cannot be started: ${reading.why}. Upload it again.` };
}

// master/templates/folder-queue.ts
var SETTLE_MS = 15e3;
var FolderQueue = class {
  #options;
  #waiting = /* @__PURE__ */ new Set();
  #timer = null;
  #job = null;
  #isRetry = false;
  #touched = false;
  #closed = false;
  constructor(options) {
    this.#options = options;
  }
  get closed() {
    return this.#closed;
  }
  /** Whether the folder was changed since the current job started. */
  get touched() {
    return this.#touched;
  }
  /** Schedules a scan. Must be called after each change in the folder. */
  touch() {
    if (this.#job !== null) this.#touched = true;
    else this.lookAfter(this.#options.quietMs);
  }
  /** Schedules a scan after `delayMs` (ms). `isRetry` marks a scan that other work need not wait for. */
  lookAfter(delayMs, isRetry = false) {
    if (this.#closed) return;
    this.#isRetry = isRetry;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#begin(this.#options.look);
    }, delayMs);
    this.#timer.unref();
  }
  /**
   * Runs `work` once the folder has had no changes for a short time.
   *
   * @param work resolves to false if it must run again after the next scan
   * @returns true when `work` has resolved to true; false if the changes do not stop in time, or if the queue is closed
   * @throws what the work throws
   */
  async whenSettled(work) {
    const deadline = monotonicMs() + SETTLE_MS;
    for (; ; ) {
      const left = deadline - monotonicMs();
      if (this.#closed || left <= 0) return false;
      if (this.#job !== null || this.#timer !== null && !this.#isRetry) await this.#nextEnd(left);
      else if (await this.#begin(work)) return true;
    }
  }
  /** Stops scanning. Resolves once the current job has finished. */
  async close() {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#job;
  }
  #begin(work) {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#touched = false;
    const job = Promise.resolve().then(work);
    const end = () => {
      this.#job = null;
      if (this.#touched) this.lookAfter(this.#options.quietMs);
      for (const wake of this.#waiting) wake();
    };
    this.#job = job.then(end, end);
    return job;
  }
  #nextEnd(timeoutMs) {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#waiting.add(wake);
    });
  }
};

// master/templates/revisions/restore.ts
import { chmod as chmod2, mkdir as mkdir2, realpath as realpath4, rename as rename2, rm as rm4, rmdir as rmdir2 } from "node:fs/promises";
import { join as join8 } from "node:path";
import { basename, dirname as dirname3 } from "node:path/posix";

// master/templates/revisions/copy-out.ts
import { constants as constants4 } from "node:fs";
import { copyFile as copyFile2, lstat as lstat2, open as open5 } from "node:fs/promises";
var StoredFileDamaged = class extends Error {
};
async function copyOut(stored, entry, { to, asItWas }) {
  if (asItWas) {
    await copyAsItWas(stored, entry, to);
    return;
  }
  await copyNewFile(stored, to, entry.mode);
  requireSize(entry, await lstat2(to));
}
async function copyAsItWas(stored, entry, to) {
  await copyFile2(stored, to, constants4.COPYFILE_FICLONE | constants4.COPYFILE_EXCL);
  const copy = await open5(to, constants4.O_RDWR | constants4.O_NOFOLLOW | constants4.O_NONBLOCK);
  try {
    requireSize(entry, await copy.stat());
    const modifiedAt = modifiedAtMs(entry.stamp) / 1e3;
    await copy.utimes(modifiedAt, modifiedAt);
    await copy.chmod(entry.mode);
  } finally {
    await copy.close();
  }
}
function requireSize({ path, size }, copied) {
  if (copied.size === size) return;
  throw new StoredFileDamaged(`the stored copy of ${path} has ${copied.size} instead of ${size} bytes`);
}

// shared/node/for-each-limited.ts
async function forEachLimited(items, limit, work) {
  const queue = items[Symbol.iterator]();
  const failures = [];
  const worker = async () => {
    while (failures.length === 0) {
      const next = queue.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}

// master/templates/revisions/added-files.ts
import { join as join6 } from "node:path";
var PARALLEL_FILES = 4;
async function findNewcomers(root2, files, store) {
  const seen = new Map(store.newest?.entries.map(({ path, stamp }) => [path, stamp]));
  const unknown = files.filter(({ path, stamp }) => !path.endsWith("/") && seen.get(path) !== stamp);
  if (unknown.length === 0) return [];
  const stored = await store.hashes();
  const newcomers = [];
  await forEachLimited(unknown, PARALLEL_FILES, async ({ path }) => {
    if (!stored.has(await hashFile(join6(root2, path)))) newcomers.push(path);
  });
  return newcomers;
}
function sparing(plan, newcomers) {
  if (newcomers.length === 0) return plan;
  const spared = new Set(newcomers);
  const around = new Set(newcomers.flatMap(foldersAround));
  const isFree = (path) => !spared.has(path) && !around.has(path) && !foldersAround(path).some((folder) => spared.has(folder));
  return {
    remove: plan.remove.filter((path) => !spared.has(path)),
    // These steps are harmless: folders that contain files are never removed.
    removeFolders: plan.removeFolders,
    folders: plan.folders.filter((folder) => around.has(folder) || isFree(folder)),
    emptyFolders: plan.emptyFolders.filter(({ path }) => isFree(path.slice(0, -1))),
    put: plan.put.filter(({ path }) => isFree(path))
  };
}
function foldersAround(path) {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

// master/templates/revisions/restore-plan.ts
import { dirname as dirname2 } from "node:path/posix";

// master/templates/revisions/revision-changes.ts
function compareManifests(from, to) {
  const before = new Map(from.map((entry) => [entry.path, entry]));
  const after = new Set(to.map(({ path }) => path));
  return {
    added: to.filter(({ path }) => !before.has(path)).map(({ path }) => path),
    removed: from.filter(({ path }) => !after.has(path)).map(({ path }) => path),
    changed: to.filter((entry) => !isSame(entry, before.get(entry.path) ?? entry)).map(({ path }) => path)
  };
}
function isSame(a, b) {
  return a.hash === b.hash && a.mode === b.mode && a.size === b.size;
}

// master/templates/revisions/restore-plan.ts
function planRestore({ files, links }, known, target) {
  const hashes = new Map(known?.entries.map((entry) => [`${entry.path}\0${entry.stamp}`, entry.hash]));
  const wanted = new Map(target.entries.map((entry) => [entry.path, entry]));
  const isRight = ({ path, size, mode, stamp }) => {
    const entry = wanted.get(path);
    const hash = hashes.get(`${path}\0${stamp}`);
    return entry !== void 0 && hash !== void 0 && isSame(entry, { path, size, mode, hash });
  };
  const right = new Set(files.filter(isRight).map(({ path }) => path));
  const isRightBelow = (link2) => {
    const seen = files.filter(({ path }) => isAtOrBelow(path, link2));
    const sources = seen.map(({ path, source }) => path.endsWith("/") ? `${source}/` : source);
    const isComplete = [...wanted.keys()].filter((path) => isAtOrBelow(path, link2)).length === seen.length;
    return isComplete && [...seen.map(({ path }) => path), ...sources].every((path) => right.has(path));
  };
  const replaced = links.filter((link2) => !isRightBelow(link2));
  const isReplaced = (path) => replaced.some((link2) => isAtOrBelow(path, link2));
  for (const path of right) if (isReplaced(path)) right.delete(path);
  const gone = files.map(({ path }) => path).filter((path) => !path.endsWith("/") && !wanted.has(path));
  const folders = foldersOf(target.entries);
  return {
    remove: [...gone.filter((path) => !isReplaced(path)), ...replaced],
    removeFolders: [...foldersOf(files)].filter((folder) => !folders.has(folder) && !isReplaced(folder)).sort(byDepth).reverse(),
    folders: [...folders].sort(byDepth),
    emptyFolders: target.entries.filter(({ path }) => path.endsWith("/")),
    put: target.entries.filter(({ path }) => !path.endsWith("/") && !right.has(path))
  };
}
function isAtOrBelow(path, link2) {
  return path === link2 || path.startsWith(`${link2}/`);
}
function foldersOf(entries) {
  const folders = /* @__PURE__ */ new Set();
  for (const { path } of entries) {
    let folder = path.endsWith("/") ? path.slice(0, -1) : dirname2(path);
    for (; folder !== "." && !folders.has(folder); folder = dirname2(folder)) folders.add(folder);
  }
  return folders;
}
function byDepth(a, b) {
  return a.split("/").length - b.split("/").length;
}

// master/templates/revisions/restore-note.ts
import { rm as rm3, readFile } from "node:fs/promises";
import { join as join7 } from "node:path";
import { z as z13 } from "zod";
var RESTORE_NOTE = "restore.json";
var noteSchema = z13.object({ revision: z13.string() });
async function writeRestoreNote(revisions, revision) {
  await writeDurably(join7(revisions, RESTORE_NOTE), JSON.stringify({ revision }));
}
async function removeRestoreNote(revisions) {
  await rm3(join7(revisions, RESTORE_NOTE), { force: true });
  await syncFolder(revisions);
}
async function readRestoreNote(revisions) {
  let text;
  try {
    text = await readFile(join7(revisions, RESTORE_NOTE), "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
  return noteSchema.parse(JSON.parse(text)).revision;
}

// master/templates/revisions/restore.ts
var STAGE = ".overworld-restore.part";
var PARALLEL_FILES2 = 4;
async function restoreFolder(place, target) {
  const { root: root2, revisions, store, reserve } = place;
  const scan = await scanFolder(root2);
  if (scan.kind === "problem") return scan;
  const known = store.newest;
  if (known === null || !isSameScan(scan.files, known.entries)) return { kind: "changed" };
  const plan = planRestore(scan, known, target);
  const bytes = plan.put.reduce((sum, { size }) => sum + size, 0);
  return withStage(root2, async (stage) => {
    await reserve.use(bytes, () => fill(stage, store, { target, plan }));
    const again = await scanFolder(root2);
    if (again.kind === "problem" || !isSameScan(scan.files, again.files)) return { kind: "changed" };
    await writeRestoreNote(revisions, target.revision);
    try {
      await change(await realpath4(root2), stage, plan);
    } catch (error) {
      await writeRestoreNote(revisions, known.revision);
      await finishRestore(place, known);
      throw error;
    }
    await removeRestoreNote(revisions);
    return null;
  });
}
async function finishRestore(place, target) {
  const { root: root2, revisions, store } = place;
  await mkdir2(root2, { recursive: true, mode: 448 });
  await removeTree(join8(root2, STAGE));
  const scan = await scanFolder(root2);
  if (scan.kind === "problem") throw new Error(scan.problem);
  const newcomers = await findNewcomers(root2, scan.files, store);
  const plan = sparing(planRestore(scan, store.newest, target), newcomers);
  await withStage(root2, async (stage) => {
    await fill(stage, store, { target, plan });
    await change(await realpath4(root2), stage, plan);
  });
  await removeRestoreNote(revisions);
}
async function withStage(root2, work) {
  const path = join8(root2, STAGE);
  await removeTree(path);
  await mkdir2(path, { mode: 448 });
  try {
    const stage = await pinFolder(await realpath4(root2), STAGE);
    try {
      return await work(stage);
    } finally {
      await stage.close();
    }
  } finally {
    await removeTree(path);
  }
}
async function fill(stage, store, { target, plan }) {
  await forEachLimited([...plan.put.entries()], PARALLEL_FILES2, async ([index, entry]) => {
    const to = `${stage.path}/${index}`;
    await copyOut(join8(store.pathOf(target.revision), entry.path), entry, { to, asItWas: true });
    await flushFile(to);
  });
  await syncFolder(stage.path);
}
async function change(root2, stage, plan) {
  const around = (path, work) => inFolder(root2, dirname3(path), (folder) => work(`${folder}/${basename(path)}`));
  for (const path of plan.remove) await ifExists(around(path, (at) => rm4(at, { force: true })));
  for (const folder of plan.removeFolders) await ifExists(around(folder, removeIfEmpty));
  for (const folder of plan.folders) await around(folder, makeFolder);
  for (const [index, { path }] of plan.put.entries())
    await around(path, (at) => rename2(`${stage.path}/${index}`, at));
  for (const { path, mode } of plan.emptyFolders) await inFolder(root2, path, (at) => chmod2(at, mode));
  for (const folder of ["", ...plan.folders]) await inFolder(root2, folder, syncFolder);
}
async function makeFolder(path) {
  try {
    await mkdir2(path, { mode: 488 });
  } catch (error) {
    if (diskCode(error) !== "EEXIST") throw error;
  }
}
async function removeIfEmpty(folder) {
  try {
    await rmdir2(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(diskCode(error) ?? "")) throw error;
  }
}

// master/templates/revisions/revision-store.ts
import { link, lstat as lstat3, mkdir as mkdir3, readdir as readdir3, realpath as realpath5, rename as rename3, rm as rm5 } from "node:fs/promises";
import { dirname as dirname4, join as join10 } from "node:path";

// master/templates/revisions/copy-in.ts
import { join as join9 } from "node:path";
async function copyIn(root2, { path, source, mode }, to) {
  const from = join9(root2, source);
  const file = await openWithoutLinks(from);
  if (file === null) throw new Error(`${path} is no longer a file`);
  try {
    const opened = process.platform === "linux" ? `/proc/self/fd/${file.fd}` : from;
    return await copyAndHash(opened, to, mode);
  } finally {
    await file.close();
  }
}

// master/templates/revisions/manifest.ts
import { createHash as createHash2 } from "node:crypto";
function revisionOf(entries) {
  const hash = createHash2("sha256");
  for (const { path, size, mode, hash: content } of entries) {
    hash.update(JSON.stringify([path, size, mode, content]));
  }
  return hash.digest("hex").slice(0, 16);
}

// master/templates/revisions/revision-keeping.ts
var KEPT_REVISIONS = 10;
var KEPT_MS = 30 * 24 * 36e5;
var ALWAYS_KEPT = 2;
function revisionsToRemove(revisions, nowMs, isUsed) {
  const newestFirst = [...revisions].sort((a, b) => b.storedAt - a.storedAt);
  return newestFirst.flatMap(({ revision }, index) => {
    const replacedAt = newestFirst[index - 1]?.storedAt ?? nowMs;
    const kept = index < ALWAYS_KEPT || index < KEPT_REVISIONS && replacedAt > nowMs - KEPT_MS;
    return kept || isUsed(revision) ? [] : [revision];
  });
}

// master/templates/revisions/revision-record.ts
import { open as open6, readFile as readFile2 } from "node:fs/promises";
import { z as z14 } from "zod";
var revisionNameSchema = z14.string().regex(/^[0-9a-f]{16}$/);
var recordSchema = z14.object({
  revision: revisionNameSchema,
  storedAt: z14.int(),
  /** Number of regular files, and their total size (bytes); absent in records of older masters. */
  files: z14.int().optional(),
  bytes: z14.int().optional(),
  entries: z14.array(
    z14.object({ path: z14.string(), size: z14.int(), mode: z14.int(), hash: z14.string(), stamp: z14.string() })
  )
});
async function readRecord(path) {
  try {
    return recordSchema.parse(JSON.parse(await readFile2(path, "utf8")));
  } catch {
    return null;
  }
}
async function writeRecord(path, record) {
  const { revision, storedAt, entries } = record;
  const { files, bytes } = summaryOf(record);
  await writeDurably(path, JSON.stringify({ revision, storedAt, files, bytes, entries }));
}
var HEAD_BYTES = 256;
var HEAD = /^\{"revision":"(?<revision>[0-9a-f]{16})","storedAt":(?<storedAt>\d+),"files":(?<files>\d+),"bytes":(?<bytes>\d+),/;
async function readSummary(path) {
  const head = HEAD.exec(await readHead(path))?.groups;
  if (head === void 0) {
    const record = await readRecord(path);
    return record === null ? null : summaryOf(record);
  }
  return {
    revision: head["revision"] ?? "",
    storedAt: Number(head["storedAt"]),
    files: Number(head["files"]),
    bytes: Number(head["bytes"])
  };
}
function summaryOf({ revision, storedAt, entries }) {
  const files = entries.filter(({ path }) => !path.endsWith("/"));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { revision, storedAt, files: files.length, bytes };
}
async function readHead(path) {
  try {
    const file = await open6(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}

// master/templates/revisions/revision-store.ts
var PARALLEL_FILES3 = 4;
var STAMP_STEP_MS = 50;
var RevisionStore = class _RevisionStore {
  #folder;
  #template;
  #isUsed;
  #reserve;
  #toRemove;
  #stored = /* @__PURE__ */ new Map();
  #reading = /* @__PURE__ */ new Map();
  #newest = null;
  constructor({ folder, template, isUsed, reserve, toRemove }) {
    this.#toRemove = toRemove ?? revisionsToRemove;
    this.#reserve = reserve;
    this.#folder = folder;
    this.#template = template;
    this.#isUsed = isUsed;
  }
  static async open(options) {
    const store = new _RevisionStore(options);
    const { folder } = options;
    await mkdir3(folder, { recursive: true, mode: 448 });
    const names = new Set(await readdir3(folder));
    for (const name of names) {
      const summary = name.endsWith(".json") ? await readSummary(join10(folder, name)) : null;
      if (summary !== null && names.has(summary.revision)) store.#stored.set(summary.revision, summary);
    }
    await store.#readNewest();
    const kept = new Set([...store.#stored.keys()].flatMap((revision) => [revision, `${revision}.json`]));
    kept.add(RESTORE_NOTE);
    for (const name of names)
      if (!kept.has(name)) await rm5(join10(folder, name), { recursive: true, force: true });
    return store;
  }
  /** Record of the newest revision; null if there is none. */
  get newest() {
    return this.#newest;
  }
  /** Summaries of all stored revisions, newest first. */
  get summaries() {
    return [...this.#stored.values()].sort((a, b) => b.storedAt - a.storedAt);
  }
  /** Returns the record of a stored revision. @throws OverworldError REVISION_NOT_FOUND */
  async record(revision) {
    const known = this.#newest?.revision === revision ? this.#newest : null;
    const record = known ?? (this.#stored.has(revision) ? await readRecord(this.#recordPath(revision)) : null);
    if (record === null)
      throw new OverworldError("REVISION_NOT_FOUND", { template: this.#template, revision });
    return record;
  }
  /** Returns the hashes of all files in any stored revision. */
  async hashes() {
    const hashes = /* @__PURE__ */ new Set();
    for (const { revision } of this.summaries) {
      const record = await readRecord(this.#recordPath(revision));
      for (const { hash } of record?.entries ?? []) hashes.add(hash);
    }
    return hashes;
  }
  async #readNewest() {
    this.#newest = null;
    for (const { revision } of this.summaries) {
      this.#newest = await readRecord(this.#recordPath(revision));
      if (this.#newest !== null) return;
      this.#stored.delete(revision);
    }
  }
  #recordPath(revision) {
    return `${this.pathOf(revision)}.json`;
  }
  /** Returns the folder with the files of a stored revision. */
  pathOf(revision) {
    return join10(this.#folder, revision);
  }
  /**
   * Stores the files that a scan of the template's folder found as a revision. Files that have not changed since the
   * newest revision are not read again. They become hard links to the files of that revision, because stored files
   * are never modified. Other files are copied. The hash is computed from the copy, so that it matches the stored
   * content even if the source changes during the copy.
   *
   * @throws DiskReserveReached before anything is copied, or if other writes take the space meanwhile; errno errors
   */
  async store(root2, files) {
    const newest = this.newest;
    const known = new Map(newest?.entries.map((entry) => [entry.path, entry]));
    const isKnown = ({ path, stamp }) => known.get(path)?.stamp === stamp;
    if (newest !== null && newest.entries.length === files.length) {
      if (files.every(isKnown)) return { kind: "stored", record: newest };
    }
    this.#reserve.require(files.reduce((bytes, file) => bytes + (isKnown(file) ? 0 : file.size), 0));
    const stage = join10(this.#folder, ".stage");
    const realRoot = await realpath5(root2);
    await rm5(stage, { recursive: true, force: true });
    try {
      await mkdir3(stage, { mode: 448 });
      const entries = /* @__PURE__ */ new Map();
      for (const folder of foldersOf2(files))
        await mkdir3(join10(stage, folder), { recursive: true, mode: 448 });
      await forEachLimited(files, PARALLEL_FILES3, async (file) => {
        const before = known.get(file.path);
        const { path, size, mode, stamp } = file;
        const same = before?.stamp === stamp && newest !== null;
        const hash = same ? await this.#reuse(join10(this.pathOf(newest.revision), path), join10(stage, path), before) : path.endsWith("/") ? "" : await this.#reserve.use(size, () => copyIn(realRoot, file, join10(stage, path)));
        entries.set(path, { path, size, mode, hash, stamp });
      });
      if (!await isUnchanged(root2, files)) return { kind: "changed" };
      return {
        kind: "stored",
        record: await this.#keep(
          stage,
          files.flatMap(({ path }) => entries.get(path) ?? []),
          { storedAt: this.#nextTime(), isNewest: true }
        )
      };
    } catch (error) {
      if (!isDiskFull(error) && !await isUnchanged(root2, files)) return { kind: "changed" };
      throw error;
    } finally {
      await rm5(stage, { recursive: true, force: true });
    }
  }
  async #reuse(stored, destination, entry) {
    if (entry.path.endsWith("/")) return "";
    try {
      await link(stored, destination);
    } catch {
      await this.#reserve.use(entry.size, () => copyNewFile(stored, destination, entry.mode));
    }
    return entry.hash;
  }
  /**
   * Stores content whose hashes are known. Files of the newest revision become hard links, others are linked from
   * `contentOf`. Everything is flushed to the disk before the record is written, so that a crash leaves the earlier
   * revisions unchanged.
   *
   * @throws StoredFileDamaged if a file has another size than its entry; errno errors
   */
  async add({ entries, contentOf: contentOf2, at, isNewest }) {
    const revision = revisionOf(entries);
    const isStored = this.#stored.has(revision);
    if (isStored && !isNewest) return this.record(revision);
    const before = this.newest?.storedAt ?? 0;
    const storedAt = isNewest ? Math.max(at, before + 1) : Math.min(at, before - 1);
    const stage = join10(this.#folder, ".stage");
    await rm5(stage, { recursive: true, force: true });
    try {
      if (!isStored) await this.#fillStage(stage, entries, contentOf2);
      return await this.#keep(stage, entries, { storedAt, isNewest });
    } finally {
      await rm5(stage, { recursive: true, force: true });
    }
  }
  async #fillStage(stage, entries, contentOf2) {
    const { newest } = this;
    const known = new Map(
      newest?.entries.map(({ hash, path }) => [hash, join10(this.pathOf(newest.revision), path)])
    );
    await mkdir3(stage, { mode: 448 });
    const folders = foldersOf2(entries);
    for (const folder of folders) await mkdir3(join10(stage, folder), { recursive: true, mode: 448 });
    await forEachLimited(entries, PARALLEL_FILES3, async (entry) => {
      const { path, size, hash } = entry;
      if (path.endsWith("/")) return;
      const stored = known.get(hash);
      if (stored === void 0) await flushFile(contentOf2(hash));
      const staged = join10(stage, path);
      await this.#reuse(stored ?? contentOf2(hash), staged, entry);
      const linked = await lstat3(staged);
      if (linked.size !== size)
        throw new StoredFileDamaged(`${path} has ${linked.size} instead of ${size} bytes`);
    });
    for (const folder of ["", ...folders]) await syncFolder(join10(stage, folder));
  }
  async #keep(stage, entries, { storedAt, isNewest }) {
    const record = { revision: revisionOf(entries), storedAt, entries };
    const path = this.pathOf(record.revision);
    if (!this.#stored.has(record.revision)) {
      await rm5(path, { recursive: true, force: true });
      await rename3(stage, path);
      await syncFolder(this.#folder);
    }
    await writeRecord(this.#recordPath(record.revision), record);
    this.#stored.set(record.revision, summaryOf(record));
    if (isNewest) this.#newest = record;
    await this.#prune();
    return record;
  }
  /** Returns the current time (ms since epoch), or a time after all stored revisions if the clock was set back. */
  #nextTime() {
    return Math.max(Date.now(), (this.newest?.storedAt ?? 0) + 1);
  }
  async #prune() {
    const isUsed = (revision) => this.#reading.has(revision) || this.#isUsed(revision);
    for (const revision of this.#toRemove(this.summaries, Date.now(), isUsed)) {
      this.#stored.delete(revision);
      await rm5(this.#recordPath(revision), { force: true });
      await rm5(this.pathOf(revision), { recursive: true, force: true });
    }
  }
  /**
   * Copies a stored revision to a folder, and checks each file's size against the manifest. The folder must not
   * exist yet.
   *
   * @param asTheyWere whether to restore permission bits and modification times as well; a service does not need them
   * @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL. In that case `destination` does not exist
   */
  async materialize(revision, destination, asTheyWere = false) {
    const lease = await this.lease(revision);
    try {
      await mkdir3(destination, { mode: 448 });
      await this.#fill(await this.record(revision), destination, asTheyWere);
    } finally {
      lease.release();
    }
  }
  /**
   * Opens a stored revision for reading. The revision is kept until the returned lease is released.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE if the revision is not stored; REVISION_NOT_FOUND if its record cannot
   *   be read
   */
  async lease(revision) {
    if (!this.#stored.has(revision)) throw this.#unreadable(`revision ${revision} is no longer stored`);
    this.#reading.set(revision, (this.#reading.get(revision) ?? 0) + 1);
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      const readers = (this.#reading.get(revision) ?? 1) - 1;
      if (readers > 0) this.#reading.set(revision, readers);
      else this.#reading.delete(revision);
    };
    try {
      const { entries } = await this.record(revision);
      return { entries, pathOf: (path) => join10(this.pathOf(revision), path), release };
    } catch (error) {
      release();
      throw error;
    }
  }
  async #fill(record, destination, asTheyWere) {
    const { revision, entries } = record;
    try {
      for (const folder of foldersOf2(entries)) {
        await mkdir3(join10(destination, folder), { recursive: true, mode: asTheyWere ? 488 : 448 });
      }
      const files = entries.filter(({ path }) => !path.endsWith("/"));
      await forEachLimited(files, PARALLEL_FILES3, (entry) => {
        const to = join10(destination, entry.path);
        return copyOut(join10(this.pathOf(revision), entry.path), entry, { to, asItWas: asTheyWere });
      });
    } catch (error) {
      await rm5(destination, { recursive: true, force: true });
      if (isDiskFull(error)) throw new OverworldError("DISK_FULL", { path: destination }, error);
      throw this.#unreadable(`revision ${revision} cannot be copied: ${diskProblem(error)}`, error);
    }
  }
  #unreadable(why, cause) {
    return new OverworldError("TEMPLATE_UNREADABLE", { template: this.#template, why }, cause);
  }
};
function foldersOf2(files) {
  return new Set(files.map(({ path }) => path.endsWith("/") ? path : dirname4(path)));
}
async function isUnchanged(root2, files) {
  const now = await scanFolder(root2);
  if (now.kind === "problem" || !isSameScan(files, now.files)) return false;
  return Math.abs(Date.now() - now.newestChangeMs) > STAMP_STEP_MS;
}

// master/templates/template-folder.ts
var RETRY_MS = 1e4;
var untouched = { ...NO_CONTENT, revision: null, changing: true, jarHash: null };
var TemplateFolder = class {
  #place;
  #changed;
  #turns;
  #state = untouched;
  #opening = null;
  #seen = [];
  constructor(place, changed) {
    this.#place = place;
    this.#changed = changed;
    this.#turns = new FolderQueue({ quietMs: place.quietMs, look: () => this.#look() });
    this.#turns.lookAfter(0);
  }
  get state() {
    return this.#state;
  }
  /** Schedules a scan. Must be called after each change in the folder. */
  touch() {
    this.#show({ ...this.#state, changing: true });
    this.#turns.touch();
  }
  /** Checks for changes; used if the folder cannot be watched. */
  async poll() {
    if (this.#state.changing || this.#turns.closed) return;
    const scan = await scanFolder(this.#place.path);
    const problem = scan.kind === "problem" ? scan.problem : null;
    if (scan.kind === "ok" ? !isSameScan(scan.files, this.#seen) : this.#state.problem !== problem)
      this.touch();
  }
  /** Copies a stored revision. @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL */
  async materialize(revision, destination) {
    const store = await this.#openStore();
    await store.materialize(revision, destination);
  }
  /** Opens a stored revision for reading. @throws OverworldError TEMPLATE_UNREADABLE */
  async lease(revision) {
    const store = await this.#openStore();
    return store.lease(revision);
  }
  /** Lists the stored revisions, newest first. */
  async revisions() {
    const store = await this.#openStore();
    return store.summaries.map(({ revision, storedAt, files, bytes }) => {
      return { revision, at: storedAt, files, bytes, current: revision === this.#state.revision };
    });
  }
  /** Compares two stored revisions. @throws OverworldError REVISION_NOT_FOUND */
  async compare(from, to) {
    const store = await this.#openStore();
    const [before, after] = [await store.record(from), await store.record(to)];
    return compareManifests(before.entries, after.entries);
  }
  /**
   * Restores a stored revision in the folder; the content before the call becomes an earlier revision.
   *
   * @throws OverworldError REVISION_NOT_FOUND, DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE (changes to the folder
   *   do not stop, or it contains something that cannot be stored)
   */
  async restore(revision) {
    const store = await this.#openStore();
    const target = await store.record(revision);
    const { path: root2, revisions, reserve } = this.#place;
    await this.#whenSettled(async () => {
      this.touch();
      const notBegun = await this.#notify(() => restoreFolder({ root: root2, revisions, store, reserve }, target));
      if (notBegun?.kind === "problem") throw this.#unreadable(notBegun.problem);
      return notBegun === null;
    });
  }
  /**
   * Writes files into the folder, over existing ones. Each appears with its whole content.
   *
   * @throws OverworldError DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE
   */
  async put(files) {
    const { path: root2, reserve } = this.#place;
    await this.#whenSettled(async () => {
      this.touch();
      await this.#notify(() => replaceFiles(files, root2, reserve), "a file could not be written");
      return true;
    });
  }
  /**
   * Copies the current content, with permission bits and times, to a folder that must not exist yet.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL, DISK_RESERVED
   */
  async copyTo(destination) {
    const store = await this.#openStore();
    await this.#whenSettled(async () => {
      const scan = await scanFolder(this.#place.path);
      const { newest } = store;
      if (scan.kind === "problem" || newest === null || !isSameScan(scan.files, newest.entries)) {
        this.touch();
        if (scan.kind === "problem") throw this.#unreadable(scan.problem);
        return false;
      }
      await this.#withRoom(newest, () => store.materialize(newest.revision, destination, true));
      return true;
    });
  }
  /** Runs work, and converts errors of the file system to OverworldErrors. */
  async #notify(work, failed = "it could not be restored") {
    try {
      return await work();
    } catch (error) {
      if (isDiskFull(error)) throw new OverworldError("DISK_FULL", { path: this.#place.path }, error);
      if (error instanceof DiskReserveReached) throw this.#reserved(error);
      throw this.#unreadable(`${failed}: ${diskProblem(error)}`, error);
    }
  }
  /** Copies all files of a revision with `work`, if there is room. @throws OverworldError DISK_RESERVED */
  async #withRoom({ entries }, work) {
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    try {
      await this.#place.reserve.use(bytes, work);
    } catch (error) {
      throw error instanceof DiskReserveReached ? this.#reserved(error) : error;
    }
  }
  #reserved(error) {
    return new OverworldError("DISK_RESERVED", { path: this.#place.path, why: error.message }, error);
  }
  async #whenSettled(work) {
    if (!await this.#turns.whenSettled(work)) {
      throw this.#unreadable("its folder is still being written; try again afterwards");
    }
  }
  #unreadable(why, cause) {
    return new OverworldError("TEMPLATE_UNREADABLE", { template: this.#place.id, why }, cause);
  }
  /** Stops scanning. Resolves once the current job has finished. */
  close() {
    return this.#turns.close();
  }
  /** Stops scanning and deletes the folder and its stored revisions. */
  async remove() {
    await this.close();
    await removeTree(this.#place.path);
    await removeTree(this.#place.revisions);
  }
  async #look() {
    try {
      await this.#mend();
      const scan = await scanFolder(this.#place.path);
      if (scan.kind === "problem") {
        this.#show({ ...unusable(scan.problem), revision: null, changing: false, jarHash: null });
        return;
      }
      const store = await this.#openStore();
      const stored = await store.store(this.#place.path, scan.files);
      if (stored.kind === "changed") {
        this.#turns.touch();
        return;
      }
      this.#seen = scan.files;
      const { revision, entries } = stored.record;
      const content = await describeContent(scan.files, store.pathOf(revision));
      this.#show({
        ...content,
        revision: content.problem === null ? revision : null,
        changing: this.#turns.touched,
        jarHash: entries.find(({ path }) => path === "server.jar")?.hash ?? null
      });
    } catch (error) {
      const why = error instanceof DiskReserveReached ? `. ${error.message}` : `: ${diskProblem(error)}.`;
      const problem = `Its files cannot be stored as a revision${why}`;
      this.#show({ ...untouched, problem, changing: false });
      this.#turns.lookAfter(RETRY_MS, true);
    }
  }
  /** Completes a restore that a crash or a full disk interrupted. Called before each scan of the folder. */
  async #mend() {
    const { path: root2, revisions } = this.#place;
    const revision = await readRestoreNote(revisions);
    if (revision === null) return;
    const store = await this.#openStore();
    try {
      await finishRestore({ root: root2, revisions, store }, await store.record(revision));
    } catch (error) {
      if (!hasCode(error, "REVISION_NOT_FOUND")) throw error;
      await removeRestoreNote(revisions);
    }
  }
  async #openStore() {
    const { id, revisions, isUsed, reserve } = this.#place;
    this.#opening ??= RevisionStore.open({ folder: revisions, template: id, isUsed, reserve });
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }
  #show(state) {
    if (this.#turns.closed || JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed(this.#place.id);
  }
};

// master/templates/watch-tree.ts
import { lstatSync, watch } from "node:fs";
import { readdir as readdir4 } from "node:fs/promises";
import { join as join11, sep as sep3 } from "node:path";
var WATCHES_TREES = process.platform === "darwin" || process.platform === "win32";
var NOT_WATCHED = /* @__PURE__ */ new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);
async function watchTree(root2, options) {
  const folder = new WatchedFolder(root2, options);
  await folder.enterAll();
  return folder;
}
var WatchedFolder = class _WatchedFolder {
  #path;
  #options;
  #folders = /* @__PURE__ */ new Map();
  #watcher = null;
  #closed = false;
  constructor(path, options) {
    this.#path = path;
    this.#options = options;
    try {
      this.#watcher = watch(path, { recursive: WATCHES_TREES });
      this.#watcher.on("change", (event, name) => this.#onEvent(event, String(name)));
      this.#watcher.on("error", (error) => this.#onError(error));
    } catch (error) {
      this.#onError(error);
    }
  }
  /** Watches all subfolders, recursively. */
  async enterAll() {
    if (WATCHES_TREES) return;
    try {
      for (const entry of await readdir4(this.#path, { withFileTypes: true })) {
        if (entry.isDirectory() && !this.#isIgnored(entry.name)) await this.#enter(entry.name);
      }
    } catch (error) {
      this.#onError(error);
    }
  }
  close() {
    this.#closed = true;
    this.#watcher?.close();
    for (const folder of this.#folders.values()) folder.close();
    this.#folders.clear();
  }
  #onEvent(event, name) {
    if (this.#closed || this.#isIgnored(name)) return;
    const path = join11(this.#path, name);
    const isNewFolder = event === "rename" && isFolder(path);
    this.#options.touched(path, isNewFolder);
    if (event !== "rename" || WATCHES_TREES) return;
    this.#leave(name);
    if (!isNewFolder) return;
    void this.#enter(name).then(() => {
      if (!this.#closed) this.#options.touched(path, false);
    });
  }
  async #enter(name) {
    if (this.#closed || this.#folders.has(name)) return;
    const folder = new _WatchedFolder(join11(this.#path, name), this.#options);
    this.#folders.set(name, folder);
    await folder.enterAll();
  }
  #leave(name) {
    this.#folders.get(name)?.close();
    this.#folders.delete(name);
  }
  #isIgnored(path) {
    const { ignored } = this.#options;
    return ignored !== void 0 && path.split(sep3).some((name) => ignored(name));
  }
  #onError(error) {
    const code2 = error.code ?? "";
    if (!this.#closed && !NOT_WATCHED.has(code2)) this.#options.failed(error);
  }
};
function isFolder(path) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

// master/templates/template-folders.ts
var POLL_MS = 1e4;
var absent = {
  revision: null,
  files: 0,
  bytes: 0,
  jar: null,
  problem: "Its folder cannot be used: it does not exist.",
  changing: false,
  bringsJava: false,
  needsJava: null,
  jarHash: null
};
var COMING2 = ".overworld-coming-";
async function openTemplateFolders(options) {
  const { root: root2, revisions, quietMs = 1e3, isUsed = () => false, disks = noReserves() } = options;
  await mkdir4(root2, { recursive: true, mode: 448 });
  await mkdir4(revisions, { recursive: true, mode: 448 });
  const reserve = disks.of(revisions);
  const folders = /* @__PURE__ */ new Map();
  const listeners = /* @__PURE__ */ new Set();
  const changed = (id) => {
    for (const listener of listeners) listener(id);
  };
  const open7 = (id) => {
    const known2 = folders.get(id);
    if (known2 !== void 0) return known2;
    const place = {
      id,
      path: join12(root2, id),
      revisions: join12(revisions, id),
      quietMs,
      isUsed: (revision) => isUsed(id, revision),
      reserve
    };
    const folder = new TemplateFolder(place, changed);
    folders.set(id, folder);
    return folder;
  };
  const touch = (path, isNewFolder) => {
    const [name, ...inside] = relative2(root2, path).split(sep4);
    const id = templateIdSchema.safeParse(name);
    if (!id.success) return;
    if (isNewFolder && inside.length === 0) open7(id.data);
    folders.get(id.data)?.touch();
  };
  let poll = null;
  const watching = await watchTree(root2, {
    touched: touch,
    failed: () => {
      poll ??= setInterval(() => {
        for (const folder of folders.values()) void folder.poll();
      }, POLL_MS).unref();
    },
    ignored: isUploadInProgress
  });
  for (const name of await readdir5(root2)) {
    if (templateIdSchema.safeParse(name).success) open7(name);
    else if (name.startsWith(COMING2)) await removeTree(join12(root2, name));
  }
  const known = (id) => {
    const folder = folders.get(id);
    if (folder !== void 0) return folder;
    throw new OverworldError("TEMPLATE_UNREADABLE", { template: id, why: "its folder does not exist" });
  };
  return {
    async create(id) {
      try {
        await mkdir4(join12(root2, id), { recursive: true, mode: 448 });
      } catch (error) {
        throw inWords(error, { path: join12(root2, id), template: id, target: null });
      }
      open7(id).touch();
    },
    async createWith(id, files) {
      const coming = join12(root2, `${COMING2}${id}`);
      try {
        await removeTree(coming);
        await mkdir4(coming, { mode: 448 });
        for (const file of files) await writeNewFile(file, coming, reserve);
        await syncFolder(coming);
        await rename4(coming, join12(root2, id));
        await syncFolder(root2);
      } catch (error) {
        await removeTree(coming);
        throw inWords(error, { path: join12(root2, id), template: id, target: id });
      }
      open7(id).touch();
    },
    async put(id, files) {
      await known(id).put(files);
    },
    async remove(id) {
      const folder = open7(id);
      await folder.remove();
      folders.delete(id);
      changed(id);
    },
    state: (id) => folders.get(id)?.state ?? absent,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async materialize(id, revision, destination) {
      await known(id).materialize(revision, destination);
    },
    lease: (id, revision) => known(id).lease(revision),
    revisions: async (id) => await folders.get(id)?.revisions() ?? [],
    compare: (id, { from, to }) => known(id).compare(from, to),
    restore: (id, revision) => known(id).restore(revision),
    async duplicate(from, to) {
      const coming = join12(root2, `${COMING2}${to}`);
      try {
        await removeTree(coming);
        await known(from).copyTo(coming);
        await rename4(coming, join12(root2, to));
        await syncFolder(root2);
      } catch (error) {
        await removeTree(coming);
        throw inWords(error, { path: coming, template: from, target: to });
      }
      open7(to).touch();
    },
    async close() {
      if (poll !== null) clearInterval(poll);
      watching.close();
      await Promise.all([...folders.values()].map((folder) => folder.close()));
    }
  };
}
function inWords(error, {
  path,
  template,
  target
}) {
  if (error instanceof OverworldError) return error;
  if (isDiskFull(error)) return new OverworldError("DISK_FULL", { path }, error);
  if (error instanceof DiskReserveReached) {
    return new OverworldError("DISK_RESERVED", { path, why: error.message }, error);
  }
  if (target !== null && ["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(diskCode(error) ?? "")) {
    return new OverworldError("TEMPLATE_EXISTS", { template: target }, error);
  }
  return new OverworldError("TEMPLATE_UNREADABLE", { template, why: diskProblem(error) }, error);
}

// test/support/temporary-folder.ts
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as join13 } from "node:path";
function temporaryFolder() {
  const folder = realpathSync(mkdtempSync(join13(tmpdir(), "overworld-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

// test/support/wait-for.ts
async function waitFor(condition, options = {}) {
  const { timeoutMs = 45e3, what = "the condition" } = options;
  const deadline = Date.now() + timeoutMs;
  let last;
  for (; ; ) {
    try {
      const value = await condition();
      if (value !== void 0 && value !== null && value !== false) {
        return value;
      }
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last);
      throw new Error(`waited ${timeoutMs} ms for ${what}; last seen: ${seen}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// test/support/files/template-fixture.ts
function templatePlace() {
  const folder = temporaryFolder();
  return { root: join14(folder, "templates"), revisions: join14(folder, "revisions") };
}
async function openTemplates(where, more = {}) {
  const folders = await openTemplateFolders({ ...where, quietMs: 150, ...more });
  onTestFinished(() => folders.close());
  return folders;
}
function settled(folders, before) {
  return waitFor(() => {
    const state = folders.state("lobby");
    return !state.changing && state.revision !== before ? state : null;
  });
}
async function writeTemplate(where, files = {}) {
  const folder = join14(where.root, "lobby");
  await mkdir5(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir5(dirname5(join14(folder, path)), { recursive: true });
    await writeFile2(join14(folder, path), content);
  }
  return folder;
}

// test/support/files/small-disk.ts
import { execFileSync } from "node:child_process";
import { rm as rm6, writeFile as writeFile3 } from "node:fs/promises";
import { join as join15 } from "node:path";
var canMount = process.platform === "linux" && process.getuid?.() === 0;
function smallDisk(megabytes, folder = temporaryFolder()) {
  const unmount = mountSmallDisk(megabytes, folder);
  onTestFinished(unmount);
  return folder;
}
function mountSmallDisk(megabytes, folder) {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", folder]);
  return () => {
    execFileSync("umount", ["--lazy", folder]);
  };
}
async function fillDisk(folder) {
  const path = join15(folder, "ballast");
  for (let bytes = 16 * 1048576; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    await writeFile3(path, Buffer.alloc(bytes), { flag: "a" }).catch(() => void 0);
  }
  return () => rm6(path);
}

// test/integration/master/templates/revisions/restore.test.ts
async function twoContents() {
  const where = templatePlace();
  const folder = await writeTemplate(where, {
    "same.txt": "same",
    "changed.txt": "first",
    "gone.txt": "gone",
    "was/file.txt": "in a folder",
    swap: "a file"
  });
  await mkdir6(join16(folder, "empty"));
  await writeFile4(join16(folder, "run.sh"), "run");
  await chmod3(join16(folder, "run.sh"), 493);
  await utimes(join16(folder, "gone.txt"), 16e8, 16e8);
  const folders = await openTemplates(where);
  const first = (await settled(folders)).revision ?? "";
  await writeFile4(join16(folder, "changed.txt"), "second");
  await rm7(join16(folder, "was"), { recursive: true });
  await rm7(join16(folder, "empty"), { recursive: true });
  await unlink2(join16(folder, "gone.txt"));
  await unlink2(join16(folder, "swap"));
  await mkdir6(join16(folder, "swap"));
  await writeFile4(join16(folder, "swap", "inside.txt"), "now a folder");
  await chmod3(join16(folder, "run.sh"), 420);
  const second = (await settled(folders, first)).revision ?? "";
  return { where, folder, folders, first, second };
}
async function contentOf(folder) {
  const content = {};
  for (const path of (await readdir6(folder, { recursive: true })).sort()) {
    const stats = await lstat4(join16(folder, path));
    const mode = (stats.mode & 511).toString(8);
    content[path] = stats.isDirectory() ? "folder" : `${mode} ${await readFile3(join16(folder, path), "utf8")}`;
  }
  return content;
}
async function codeOf(work) {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof OverworldError ? String(error.code) : String(error);
  }
}
var FIRST = {
  "changed.txt": "644 first",
  empty: "folder",
  "gone.txt": "644 gone",
  "run.sh": "755 run",
  "same.txt": "644 same",
  swap: "644 a file",
  was: "folder",
  "was/file.txt": "644 in a folder"
};
var SECOND = {
  "changed.txt": "644 second",
  "run.sh": "644 run",
  "same.txt": "644 same",
  swap: "folder",
  "swap/inside.txt": "644 now a folder"
};
describe("earlier revisions of a template", () => {
  it("are listed newest first, with their differences", async () => {
    const { folders, first, second } = await twoContents();
    const kept = await folders.revisions("lobby");
    expect2(kept.map(({ revision, files, current }) => ({ revision, files, current }))).toEqual([
      { revision: second, files: 4, current: true },
      { revision: first, files: 6, current: false }
    ]);
    expect2(kept[0]?.at).toBeGreaterThan(kept[1]?.at ?? Infinity);
    await expect2(folders.compare("lobby", { from: first, to: second })).resolves.toEqual({
      added: ["swap/inside.txt"],
      removed: ["empty/", "gone.txt", "swap", "was/file.txt"],
      changed: ["changed.txt", "run.sh"]
    });
    await expect2(codeOf(folders.compare("lobby", { from: first, to: "f".repeat(16) }))).resolves.toBe(
      "REVISION_NOT_FOUND"
    );
  });
  it("are still available after a restart of the master", async () => {
    const { where, folders, first, second } = await twoContents();
    await folders.close();
    const next = await openTemplates(where);
    await settled(next, null);
    expect2((await next.revisions("lobby")).map(({ revision }) => revision)).toEqual([second, first]);
  });
});
describe("restoring a revision", () => {
  it("restores content, permission bits and times, and can itself be undone", async () => {
    const { folder, folders, first, second } = await twoContents();
    const untouched2 = (await lstat4(join16(folder, "same.txt"), { bigint: true })).ctimeNs;
    await folders.restore("lobby", first);
    expect2(await contentOf(folder)).toEqual(FIRST);
    expect2((await lstat4(join16(folder, "gone.txt"))).mtimeMs).toBe(16e11);
    expect2((await lstat4(join16(folder, "same.txt"), { bigint: true })).ctimeNs).toBe(untouched2);
    expect2((await settled(folders, second)).revision).toBe(first);
    expect2((await folders.revisions("lobby")).map(({ revision }) => revision)).toEqual([first, second]);
    await folders.restore("lobby", second);
    expect2(await contentOf(folder)).toEqual(SECOND);
    expect2((await settled(folders, first)).revision).toBe(second);
  });
  it("never stores a half-restored folder as a revision", async () => {
    const { folders, first, second } = await twoContents();
    const seen = /* @__PURE__ */ new Set();
    folders.onChange(() => seen.add(folders.state("lobby").revision));
    await folders.restore("lobby", first);
    await settled(folders, second);
    expect2([...seen].sort()).toEqual([first, second].sort());
  });
  it("waits for an upload, and keeps the uploaded content as a revision", async () => {
    const { folder, folders, first, second } = await twoContents();
    await writeFile4(join16(folder, "late.txt"), "just arrived");
    await waitFor(() => folders.state("lobby").changing ? true : null);
    await folders.restore("lobby", first);
    expect2(await contentOf(folder)).toEqual(FIRST);
    await settled(folders, second);
    const late = (await folders.revisions("lobby"))[1]?.revision ?? "";
    await expect2(folders.compare("lobby", { from: second, to: late })).resolves.toMatchObject({
      added: ["late.txt"]
    });
  });
  it("keeps incomplete uploads of other people", async () => {
    const { folder, folders, first } = await twoContents();
    await writeFile4(join16(folder, ".overworld-12ab.part"), "half");
    await folders.restore("lobby", first);
    expect2(await contentOf(folder)).toEqual({ ...FIRST, ".overworld-12ab.part": "644 half" });
  });
  it("refuses a revision that is not stored, and a folder whose content cannot be stored", async () => {
    const { folder, folders, first } = await twoContents();
    await expect2(codeOf(folders.restore("lobby", "0123456789abcdef"))).resolves.toBe("REVISION_NOT_FOUND");
    await symlink("/etc/passwd", join16(folder, "link"));
    await waitFor(() => folders.state("lobby").problem);
    await expect2(codeOf(folders.restore("lobby", first))).resolves.toBe("TEMPLATE_UNREADABLE");
    await unlink2(join16(folder, "link"));
    expect2(await contentOf(folder)).toEqual(SECOND);
  });
  it("undoes its changes if it cannot be completed", async () => {
    const { folder, folders, first, second } = await twoContents();
    await writeFile4(join16(folder, "swap", ".overworld-12ab.part"), "half");
    await expect2(codeOf(folders.restore("lobby", first))).resolves.toBe("TEMPLATE_UNREADABLE");
    await rm7(join16(folder, "swap", ".overworld-12ab.part"));
    expect2(await contentOf(folder)).toEqual(SECOND);
    expect2((await settled(folders, null)).revision).toBe(second);
  });
  it("is completed by the next master after a crash", async () => {
    const { where, folder, folders, first } = await twoContents();
    await folders.close();
    await writeFile4(join16(where.revisions, "lobby", "restore.json"), JSON.stringify({ revision: first }));
    await mkdir6(join16(folder, ".overworld-restore.part"));
    await writeFile4(join16(folder, ".overworld-restore.part", "0"), "half a fi");
    await rm7(join16(folder, "swap"), { recursive: true });
    await writeFile4(join16(folder, "changed.txt"), "first");
    const next = await openTemplates(where);
    const seen = [];
    next.onChange(() => seen.push(next.state("lobby").revision));
    expect2((await settled(next, null)).revision).toBe(first);
    expect2(await contentOf(folder)).toEqual(FIRST);
    expect2(seen.filter((revision) => revision !== null && revision !== first)).toEqual([]);
    expect2(await readdir6(join16(where.revisions, "lobby"))).not.toContain("restore.json");
  });
  it("keeps files that people added between a crash and the start of the next master", async () => {
    const { where, folder, folders, first, second } = await twoContents();
    await folders.close();
    await writeFile4(join16(where.revisions, "lobby", "restore.json"), JSON.stringify({ revision: first }));
    await writeFile4(join16(folder, "changed.txt"), "first");
    await writeFile4(join16(folder, "gone.txt"), "gone");
    await writeFile4(join16(folder, "uploaded.jar"), "a new plugin");
    await writeFile4(join16(folder, "same.txt"), "edited by hand");
    await writeFile4(join16(folder, "swap", "mine.txt"), "mine");
    const next = await openTemplates(where);
    const mended = (await settled(next, null)).revision;
    expect2([first, second]).not.toContain(mended);
    expect2(await contentOf(folder)).toEqual({
      ...FIRST,
      "same.txt": "644 edited by hand",
      "uploaded.jar": "644 a new plugin",
      // The folder is at the path of a file of the requested revision.
      swap: "folder",
      "swap/mine.txt": "644 mine"
    });
    expect2(await readdir6(join16(where.revisions, "lobby"))).not.toContain("restore.json");
  });
  it.runIf(canMount)("changes nothing if the disk is full", async () => {
    const disk = smallDisk(4);
    const where = { root: join16(disk, "templates"), revisions: join16(disk, "revisions") };
    const folder = await writeTemplate(where, { "world.dat": "x".repeat(5e5) });
    const folders = await openTemplates(where);
    const { revision } = await settled(folders);
    await writeFile4(join16(folder, "world.dat"), "y".repeat(5e5));
    const { revision: second } = await settled(folders, revision);
    const empty = await fillDisk(disk);
    await expect2(codeOf(folders.restore("lobby", revision ?? ""))).resolves.toBe("DISK_FULL");
    expect2(await contentOf(folder)).toEqual({ "world.dat": `644 ${"y".repeat(5e5)}` });
    await empty();
    await folders.restore("lobby", revision ?? "");
    expect2((await settled(folders, second)).revision).toBe(revision);
  });
});
describe("duplicating a template", () => {
  const duplicate = (folders) => folders.duplicate("lobby", "arena");
  it("gives the copy the same content and therefore the same revision", async () => {
    const { where, folders, second } = await twoContents();
    await duplicate(folders);
    expect2(await contentOf(join16(where.root, "arena"))).toEqual(SECOND);
    await waitFor(() => folders.state("arena").revision === second ? true : null);
  });
  it("is refused if the target folder exists or the source is not readable", async () => {
    const { where, folder, folders } = await twoContents();
    await mkdir6(join16(where.root, "arena"));
    await writeFile4(join16(where.root, "arena", "mine"), "mine");
    await expect2(codeOf(duplicate(folders))).resolves.toBe("TEMPLATE_EXISTS");
    expect2(await contentOf(join16(where.root, "arena"))).toEqual({ mine: "644 mine" });
    await rm7(join16(where.root, "arena"), { recursive: true });
    execFileSync2("mkfifo", [join16(folder, "pipe")]);
    await waitFor(() => folders.state("lobby").problem);
    await expect2(codeOf(duplicate(folders))).resolves.toBe("TEMPLATE_UNREADABLE");
    expect2((await readdir6(where.root)).sort()).toEqual(["lobby"]);
  });
});
