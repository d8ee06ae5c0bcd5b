import { expect, it } from 'vitest';
import { redactCommand } from '#master/control/services/redact-command.ts';

it.each([
  ['login hunter2', 'login ••••'],
  ['l hunter2', 'l ••••'],
  ['register hunter2 hunter2', 'register ••••'],
  ['reg hunter2 hunter2', 'reg ••••'],
  ['changepassword old new', 'changepassword ••••'],
  ['password Anna hunter2', 'password ••••'],
  ['unregister hunter2', 'unregister ••••'],
  ['authme register Anna hunter2', 'authme ••••'],
  ['  /LOGIN\thunter2 ', '  /LOGIN ••••'],
  ['//login hunter2', '//login ••••'],
  ['/authme:login hunter2', '/authme:login ••••'],
  ['sudo Anna /login hunter2', 'sudo Anna /login ••••'],
  ['essentials:sudo Anna reg a a', 'essentials:sudo Anna reg ••••'],
  ['execute as Anna run login hunter2', 'execute as Anna run login ••••'],
  ['execute as Anna run sudo Ben login hunter2', 'execute as Anna run sudo Ben login ••••'],
])('the activity log hides passwords in the command "%s"', (line, logged) => {
  expect(redactCommand(line)).toBe(logged);
});

it.each([
  'op Anna',
  'say login is open',
  'list',
  'login',
  'l ',
  'logins show',
  'whitelist add password',
  'lp user Anna info',
  'execute as Anna run say hello',
  'execute if block 0 0 0 stone',
  'sudo Anna',
  'toString x',
  '__proto__ x',
  ' ',
  '',
])('the activity log shows the complete command "%s"', (line) => {
  expect(redactCommand(line)).toBe(line);
});
