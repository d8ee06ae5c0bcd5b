import type { BrokenDocument } from './document.ts';

const templateKeys =
  'name, minimumRunningServers, maximumOnlineServers, startNewServiceAtTemplateCapacity, ' +
  'startNewServiceAtGlobalCapacity, priority, minJvmMemory, maxJvmMemory, isProxy, isFallback, ' +
  'killUnusedTooManyServersAfter, defaultServiceFiles, persistentPaths, joinPermission, maxPlayers, ' +
  'java, jvmArguments, environment, startTimeout, stopTimeout';
const services = 'a whole number from 0 to 10000 services; default: 0.';
const jvm = 'a whole number from 16 to 1048576 MB; default: 256.';

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
