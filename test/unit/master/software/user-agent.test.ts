import { expect, it } from 'vitest';
import { parseContact } from '#master/cli/own-urls.ts';
import { toUserAgent } from '#master/software/catalogue/user-agent.ts';
import { VERSION } from '#shared/version.ts';
import project from '../../../../package.json' with { type: 'json' };

it("the User-Agent header contains the version, the project, and a contact of the master's admin", () => {
  expect(toUserAgent(undefined)).toBe(`overworld-master/${VERSION} (${project.homepage})`);
  expect(toUserAgent('admin@example.org')).toBe(
    `overworld-master/${VERSION} (${project.homepage}; admin@example.org)`,
  );
});

it.each(['admin@example.org', 'a.b+c@mc.example.org', 'https://example.org/contact?x=1'])(
  'the User-Agent header accepts %s as a contact',
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
])('the User-Agent header refuses %j as a contact', (text) => {
  expect(() => parseContact(text)).toThrow(/e-mail address or a URL/);
});
