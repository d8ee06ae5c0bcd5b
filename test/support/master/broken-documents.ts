/** A broken document: what is wrong with it, its text, and all sentences that the reader gets. */
export type BrokenDocument = readonly [what: string, text: string, ...sentences: readonly string[]];

const templateKeys =
  'name, minimumRunningServers, maximumOnlineServers, startNewServiceAtTemplateCapacity, ' +
  'startNewServiceAtGlobalCapacity, priority, minJvmMemory, maxJvmMemory, isProxy, isFallback, ' +
  'killUnusedTooManyServersAfter, defaultServiceFiles, joinPermission, maxPlayers';
const providerKeys =
  'api_token, location, server_type, blocked_servers, ssh_keys, configure_mode, server_port, upscaling_at_percent_capacity';
const services = 'a whole number from 0 to 10000 services; default: 0.';
const jvm = 'a whole number from 16 to 1048576 MB; default: 256.';
const port = 'a whole number from 1 to 65535; default: 1510.';
const rulePort = 'a string with a port from 1 to 65535, or a range such as "25565-25600".';
const ips = 'a list of addresses in CIDR notation, such as "203.0.113.7/32".';
const rules = 'a list of different rules, each a port with protocol or source_ips';
const notJson = (line: number, words: string, column: number): string =>
  `The document (line ${line}) is not valid JSON: ${words} (column ${column}).`;

/** Texts that are wrong for any document. */
export const brokenTexts: readonly BrokenDocument[] = [
  ['an empty file', '', 'The document is empty; it must be a JSON object, at least {}.'],
  ['nothing but white space', ' \n\t', 'The document is empty; it must be a JSON object, at least {}.'],
  [
    'a byte order mark',
    '\uFEFF{}',
    'The document begins with a byte order mark; save it as UTF-8 without one.',
  ],
  [
    'bytes that are not UTF-8',
    '{"name":"caf\uFFFD"}',
    'The document contains bytes that are not UTF-8; save it as UTF-8.',
  ],
  ['a NUL after the end', '{}\0', notJson(1, 'a NUL character is here; the file is damaged', 3)],
  ['a list instead of an object', '[]', 'The document must be a JSON object, not a list: found [].'],
  [
    'a string instead of an object',
    '"lobby"',
    'The document must be a JSON object, not a string: found "lobby".',
  ],
  ['a number instead of an object', '5', 'The document must be a JSON object, not a number: found 5.'],
  ['null instead of an object', 'null', 'The document must be a JSON object, not null: found null.'],
  ['an object that is not closed', '{"name": "a"', notJson(1, 'a closing } is missing', 13)],
  ['a list that is not closed', '{"defaultServiceFiles": [', notJson(1, 'a closing ] is missing', 26)],
  [
    'a comma after the last entry',
    '{\n  "priority": 1,\n}',
    notJson(3, 'a key in double quotes is expected; there may be an extra comma before it', 1),
  ],
  [
    'a missing comma',
    '{"priority": 1 "maxPlayers": 2}',
    notJson(1, 'a comma is missing between two entries', 16),
  ],
  ['a colon that is missing', '{"priority" 1}', notJson(1, 'a colon between key and value is missing', 13)],
  ['a comment', '{\n  // note\n}', notJson(2, 'comments are not allowed', 3)],
  ['single quotes', "{'name': 1}", notJson(1, 'unexpected text; strings and keys need double quotes', 2)],
  ['something after the end', '{} {}', notJson(1, 'there is text after the end of the object', 4)],
  [
    'a line break inside a string',
    '{"name": "a\nb"}',
    notJson(1, 'a string is not closed: its closing double quote is missing on the same line', 10),
  ],
  [
    'an invalid escape',
    '{"name": "\\x"}',
    notJson(1, 'a backslash is before a character that needs none; write \\\\ for a backslash', 10),
  ],
  ['NaN', '{"maxPlayers": NaN}', notJson(1, 'unexpected text; strings and keys need double quotes', 16)],
  [
    '10,000 open brackets',
    '['.repeat(10_000),
    'The document (line 1) is nested more than 64 levels deep; a configuration needs 4.',
  ],
  [
    '500,000 nested objects',
    '{"a":'.repeat(200_000),
    'The document (line 1) is nested more than 64 levels deep; a configuration needs 4.',
  ],
];

/** Invalid template configurations. */
export const brokenTemplates: readonly BrokenDocument[] = [
  [
    'a mistyped key',
    '{\n "minJvmMemry": 1}',
    `minJvmMemry (line 2) is not a known key; did you mean "minJvmMemory"?; allowed: ${templateKeys}.`,
  ],
  [
    'a key in the wrong case',
    '{"ISPROXY": true}',
    `ISPROXY (line 1) is not a known key; did you mean "isProxy"?; allowed: ${templateKeys}.`,
  ],
  [
    'an unknown key similar to none',
    '{"constructor": 1}',
    `constructor (line 1) is not a known key; allowed: ${templateKeys}.`,
  ],
  [
    'the key __proto__',
    '{"__proto__": {}}',
    `__proto__ (line 1) is not a known key; allowed: ${templateKeys}.`,
  ],
  ['an empty key', '{"": 1}', `[""] (line 1) is not a known key; allowed: ${templateKeys}.`],
  [
    'a duplicate key',
    '{"priority": 1,\n"priority": 2}',
    'priority (line 2) is defined twice; keep one of them; allowed: each key once.',
  ],
  [
    'a number in place of a string',
    '{"name": 5}',
    'name (line 1) must be a string: found 5; allowed: a string of 1 to 64 characters; default: "<template_name>".',
  ],
  [
    'an empty name',
    '{"name": "  "}',
    'name (line 1) is empty: found "  "; allowed: a string of 1 to 64 characters; default: "<template_name>".',
  ],
  [
    'a name that is too long',
    `{"name": "${'x'.repeat(100)}"}`,
    `name (line 1) is too long (100 characters, at most 64): found "${'x'.repeat(78)}…; allowed: a string of 1 to 64 characters; default: "<template_name>".`,
  ],
  [
    'a lone surrogate',
    '{"name": "\\ud800"}',
    'name (line 1) contains half of a character (a lone surrogate): found "\\ud800"; allowed: a string of 1 to 64 characters; default: "<template_name>".',
  ],
  [
    'a NUL in a string',
    '{"name": "a\\u0000"}',
    'name (line 1) contains a NUL character: found "a\\u0000"; allowed: a string of 1 to 64 characters; default: "<template_name>".',
  ],
  [
    'a string in place of a number',
    '{"minimumRunningServers": "3"}',
    `minimumRunningServers (line 1) must be a whole number: found "3"; allowed: ${services}`,
  ],
  [
    'a fraction',
    '{"minimumRunningServers": 1.5}',
    `minimumRunningServers (line 1) must be a whole number: found 1.5; allowed: ${services}`,
  ],
  [
    'null in place of a number',
    '{"minimumRunningServers": null}',
    `minimumRunningServers (line 1) must be a whole number: found null; allowed: ${services}`,
  ],
  [
    'a negative minimum',
    '{"minimumRunningServers": -1}',
    `minimumRunningServers (line 1) is too small (at least 0): found -1; allowed: ${services}`,
  ],
  [
    'more services than allowed',
    '{"minimumRunningServers": 10001}',
    `minimumRunningServers (line 1) is too large (at most 10000): found 10001; allowed: ${services}`,
  ],
  [
    'a huge number',
    '{"minimumRunningServers": 1e300}',
    `minimumRunningServers (line 1) is too large (at most 10000): found 1e+300; allowed: ${services}`,
  ],
  [
    'a number beyond the range of doubles',
    '{"minimumRunningServers": 1e999}',
    `minimumRunningServers (line 1) must be a whole number: found Infinity; allowed: ${services}`,
  ],
  [
    'a maximum below "no limit"',
    '{"maximumOnlineServers": -2}',
    'maximumOnlineServers (line 1) is too small (at least -1): found -2; allowed: a whole number from -1 to 10000 services (-1 = no limit); default: -1.',
  ],
  [
    'more than 100 percent',
    '{"startNewServiceAtTemplateCapacity": 101}',
    'startNewServiceAtTemplateCapacity (line 1) is too large (at most 100): found 101; allowed: a whole number from 0 to 100 % (0 = off); default: 0.',
  ],
  [
    'less than 0 percent',
    '{"startNewServiceAtGlobalCapacity": -1}',
    'startNewServiceAtGlobalCapacity (line 1) is too small (at least 0): found -1; allowed: a whole number from 0 to 100 % (0 = off); default: 0.',
  ],
  [
    'a priority out of range',
    '{"priority": 1001}',
    'priority (line 1) is too large (at most 1000): found 1001; allowed: a whole number from -1000 to 1000; default: 1.',
  ],
  [
    'minimum above maximum memory',
    '{"minJvmMemory": 2048}',
    `minJvmMemory (line 1) must not be larger than maxJvmMemory (1024): found 2048; allowed: ${jvm}`,
  ],
  [
    'maximum memory below the default minimum',
    '{"maxJvmMemory": 128}',
    `minJvmMemory must not be larger than maxJvmMemory (128); allowed: ${jvm}`,
  ],
  [
    'too little memory',
    '{"minJvmMemory": 15}',
    `minJvmMemory (line 1) is too small (at least 16): found 15; allowed: ${jvm}`,
  ],
  [
    'a string in place of a boolean',
    '{"isProxy": "true"}',
    'isProxy (line 1) must be true or false: found "true"; allowed: true or false; default: true.',
  ],
  [
    '1 in place of true',
    '{"isFallback": 1}',
    'isFallback (line 1) must be true or false: found 1; allowed: true or false; default: false.',
  ],
  [
    'more than 30 days',
    '{"killUnusedTooManyServersAfter": 2592000001}',
    'killUnusedTooManyServersAfter (line 1) is too large (at most 2592000000): found 2592000001; allowed: a whole number from -1 to 2592000000 ms (-1 = never); default: 120000.',
  ],
  [
    'a permission with a space',
    '{"joinPermission": "a b"}',
    'joinPermission (line 1) is not allowed: found "a b"; allowed: up to 128 letters, digits and . _ - *; default: "".',
  ],
  [
    'zero players',
    '{"maxPlayers": 0}',
    'maxPlayers (line 1) is too small (at least 1): found 0; allowed: a whole number from 1 to 1000000 players; default: 1.',
  ],
  [
    'an object in place of a list',
    '{"defaultServiceFiles": {}}',
    'defaultServiceFiles (line 1) must be a list: found {}; allowed: a list of entries; default: [].',
  ],
  [
    'a string in place of a file entry',
    '{"defaultServiceFiles": ["a"]}',
    'defaultServiceFiles[0] (line 1) must be an object: found "a"; allowed: a list of entries; default: [].',
  ],
  [
    'a file entry without destination',
    '{"defaultServiceFiles": [{"path": "a"}]}',
    'defaultServiceFiles[0].destination (line 1) is missing; allowed: a relative path without "..".',
  ],
  [
    'a path that leaves the shared files',
    '{"defaultServiceFiles": [{"path": "../a", "destination": "b"}]}',
    'defaultServiceFiles[0].path (line 1) is not allowed: found "../a"; allowed: a path inside the shared files, without "..".',
  ],
  [
    'an absolute destination',
    '{"defaultServiceFiles": [{"path": "a", "destination": "/etc"}]}',
    'defaultServiceFiles[0].destination (line 1) is not allowed: found "/etc"; allowed: a relative path without "..".',
  ],
  [
    'an unknown key in an entry',
    '{"defaultServiceFiles": [\n{"path": "a",\n"destination": "b",\n"dirctory": true}]}',
    'defaultServiceFiles[0].dirctory (line 4) is not a known key; did you mean "directory"?; allowed: path, destination, directory.',
  ],
  [
    'two faults at once',
    '{"priority": "x",\n"isProxy": 0}',
    'priority (line 1) must be a whole number: found "x"; allowed: a whole number from -1000 to 1000; default: 1.',
    'isProxy (line 2) must be true or false: found 0; allowed: true or false; default: true.',
  ],
];

/** Invalid master configurations. */
export const brokenMasters: readonly BrokenDocument[] = [
  [
    'a mistyped section',
    '{"comunication": {}}',
    'comunication (line 1) is not a known key; did you mean "communication"?; allowed: communication, provider, firewall_rules, balancer, max_online_players.',
  ],
  [
    'an unknown key in a section',
    '{"communication": {"prt": 1}}',
    'communication.prt (line 1) is not a known key; did you mean "port"?; allowed: hostname, port.',
  ],
  [
    'a duplicate key in a section',
    '{"communication": {"port": 1,\n"port": 2}}',
    'communication.port (line 2) is defined twice; keep one of them; allowed: each key once.',
  ],
  [
    'a list in place of a section',
    '{"balancer": []}',
    'balancer (line 1) must be an object: found []; allowed: an object with the keys config_path, entry_addition.',
  ],
  [
    'null in place of a section',
    '{"communication": null}',
    'communication (line 1) must be an object: found null; allowed: an object with the keys hostname, port.',
  ],
  [
    'port 0',
    '{"communication": {"port": 0}}',
    `communication.port (line 1) is too small (at least 1): found 0; allowed: ${port}`,
  ],
  [
    'port 65536',
    '{"communication": {"port": 65536}}',
    `communication.port (line 1) is too large (at most 65535): found 65536; allowed: ${port}`,
  ],
  [
    'a string in place of a port',
    '{"communication": {"port": "1510"}}',
    `communication.port (line 1) must be a whole number: found "1510"; allowed: ${port}`,
  ],
  [
    'a name in place of an address',
    '{"communication": {"hostname": "localhost"}}',
    'communication.hostname (line 1) is not allowed: found "localhost"; allowed: an IPv4 or IPv6 address; default: "127.0.0.1".',
  ],
  [
    'a number in place of the token',
    '{"provider": {"api_token": 12345}}',
    'provider.api_token (line 1) must be a string: found "••••"; allowed: a string of 1 to 256 characters; default: "<API_TOKEN>".',
  ],
  [
    'the token in place of its section',
    '{"provider": "s3cret"}',
    `provider (line 1) must be an object: found "••••"; allowed: an object with the keys ${providerKeys}.`,
  ],
  [
    'a location with a space',
    '{"provider": {"location": "NBG 1"}}',
    'provider.location (line 1) is not allowed: found "NBG 1"; allowed: a location code such as nbg1; default: "nbg1".',
  ],
  [
    'a duplicate server type',
    '{"provider": {"blocked_servers": ["cpx11", "cpx11"]}}',
    'provider.blocked_servers (line 1) names a server type twice: found ["cpx11","cpx11"]; allowed: a list of different server type names such as cpx11; default: [].',
  ],
  [
    'a threshold of 0 percent',
    '{"provider": {"upscaling_at_percent_capacity": 0}}',
    'provider.upscaling_at_percent_capacity (line 1) is too small (at least 1): found 0; allowed: a whole number from 1 to 100 %; default: 80.',
  ],
  [
    'a firewall port as a number',
    '{"firewall_rules": [{"port": 25565, "protocol": "tcp"}]}',
    `firewall_rules[0].port (line 1) must be a string: found 25565; allowed: ${rulePort}`,
  ],
  [
    'a firewall port beyond 65535',
    '{"firewall_rules": [{"port": "70000", "protocol": "tcp"}]}',
    `firewall_rules[0].port (line 1) is not allowed: found "70000"; allowed: ${rulePort}`,
  ],
  [
    'a reversed port range',
    '{"firewall_rules": [{"port": "20-10", "protocol": "tcp"}]}',
    `firewall_rules[0].port (line 1) is not allowed: found "20-10"; allowed: ${rulePort}`,
  ],
  [
    'an unknown protocol',
    '{"firewall_rules": [{"port": "1", "protocol": "icmp"}]}',
    'firewall_rules[0].protocol (line 1) is not allowed: found "icmp"; allowed: "tcp" or "udp".',
  ],
  [
    'a rule with only a port',
    '{"firewall_rules": [{"port": "1"}]}',
    `firewall_rules[0] (line 1) needs protocol or source_ips beside the port: found {"port":"1"}; allowed: ${rules}; default: [].`,
  ],
  [
    'an address without a mask',
    '{"firewall_rules": [{"port": "1", "source_ips": ["1.2.3.4"]}]}',
    `firewall_rules[0].source_ips[0] (line 1) is not allowed: found "1.2.3.4"; allowed: ${ips}`,
  ],
  [
    'a mask that is too long',
    '{"firewall_rules": [{"port": "1", "source_ips": ["1.2.3.4/33"]}]}',
    `firewall_rules[0].source_ips[0] (line 1) is not allowed: found "1.2.3.4/33"; allowed: ${ips}`,
  ],
  [
    'an empty list of source addresses',
    '{"firewall_rules": [{"port": "1", "source_ips": []}]}',
    `firewall_rules[0].source_ips (line 1) has too few entries (at least 1): found []; allowed: ${ips}`,
  ],
  [
    'the same rule twice',
    '{"firewall_rules": [{"port": "1", "protocol": "tcp"}, {"port": "1", "protocol": "tcp"}]}',
    `firewall_rules (line 1) contains the same rule twice: found [{"port":"1","protocol":"tcp"},{"port":"1","protocol":"tcp"}]; allowed: ${rules}; default: [].`,
  ],
  [
    'the same rule twice in different forms',
    '{"firewall_rules": [{"port": "1", "source_ips": ["::/0"]}, {"port": "1", "protocol": "tcp", "source_ips": ["::/0"]}]}',
    `firewall_rules (line 1) contains the same rule twice: found [{"port":"1","source_ips":["::/0"]},{"port":"1","protocol":"tcp","source_ips":[…; allowed: ${rules}; default: [].`,
  ],
  [
    'a path that is not absolute',
    '{"balancer": {"config_path": "haproxy.cfg"}}',
    'balancer.config_path (line 1) is not allowed: found "haproxy.cfg"; allowed: an absolute path; default: "/etc/haproxy/haproxy.cfg".',
  ],
  [
    "a line break in the balancer's entry",
    '{"balancer": {"entry_addition": "a\\nb"}}',
    'balancer.entry_addition (line 1) is not allowed: found "a\\nb"; allowed: one line of text; default: "send-proxy".',
  ],
  [
    'a negative number of players',
    '{"max_online_players": -1}',
    'max_online_players (line 1) is too small (at least 0): found -1; allowed: a whole number from 0 to 10000000 players; default: 100.',
  ],
];
