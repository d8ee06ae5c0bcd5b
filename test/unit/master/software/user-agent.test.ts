import { expect, it } from 'vitest';
import { parseContact } from '#master/cli/own-urls.ts';
import { toUserAgent } from '#master/software/catalogue/user-agent.ts';
import { VERSION } from '#shared/version.ts';
import project from '../../../../package.json' with { type: 'json' };

it('introduces the master with its version, the project, and the contact of the person who runs it', () => {
  expect(toUserAgent(undefined)).toBe(`overworld-master/${VERSION} (${project.homepage})`);
  expect(toUserAgent('admin@example.org')).toBe(
    `overworld-master/${VERSION} (${project.homepage}; admin@example.org)`,
  );
});

it.each(['admin@example.org', 'a.b+c@mc.example.org', 'https://example.org/contact?x=1'])(
  'accepts %s as a contact',
  (text) => expect(parseContact(text)).toBe(text),
);

it.each([
  '',
  'admin',
  'a@b',
  'https://example.org/a b',
  'https://example.org/)',
  'https://example.org\r\nX: y',
  `${'a'.repeat(200)}@example.org`,
  'ftp://example.org',
])('refuses %j as a contact, because the contact is sent in an HTTP header', (text) => {
  expect(() => parseContact(text)).toThrow(/e-mail address or a URL/);
});
