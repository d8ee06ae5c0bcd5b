import { describe, expect, it } from 'vitest';
import { hideValues, showValues } from '#master/admin/masked-text.ts';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

const FIELDS = describeFields(masterConfigSchema);
const STORED = 'stored-token';
/** As long as a real token. */
const TOKEN = 'Zq3'.repeat(21) + 'x';

const hide = (text: string) => hideValues(FIELDS, text, STORED);

describe('hideValues (hides secrets in text)', () => {
  it.each([
    ['the secret field', `{ "provider": { "api_token": "short-one", } }`],
    ['a mistyped key', `{ "provider": { "api_tokn": "short-one" } }`],
    ['a section that is not an object', `{ "provider": "short-one" }`],
    ['a list under an unknown key', `{ "more": ["x", ["short-one"]] }`],
    ['a key without quotes', `{ provider: { api_token: "short-one" } }`],
    ['a value without quotes', `{ "provider": { "api_token": short-one } }`],
    ['an unclosed string', `{ "provider": { "api_token": "short-one\n } }`],
    ['a truncated text', `{ "provider": { "api_token": "short-one`],
    ['a text without a key before it', `"short-one"`],
    ['a value without its opening quote', `{ "provider": {\n api_token": "short-one" } }`],
  ])('hides the value of %s', (_where, text) => {
    const { text: shown } = hide(text);
    expect(shown).not.toContain('short-one');
    expect(shown.split('\n')).toHaveLength(text.split('\n').length);
  });

  it.each([
    ['a field that is not secret', `{ "provider": { "location": "${TOKEN}" } }`],
    ['a key', `{ "${TOKEN}": 1 }`],
    ['a comment', `{ // ${TOKEN}\n }`],
    ['a sentence', `{ "balancer": { "config_path": "/etc/${TOKEN}.cfg" } }`],
  ])('hides text that looks like a token in %s', (_where, text) => {
    expect(hide(text).text).not.toContain(TOKEN);
  });

  it('returns text without secrets unchanged, even if the text contains syntax errors', () => {
    const text = `{ "max_online_players": "many", // why?\n  "balancer": { "config_path": /etc/haproxy.cfg },\n}`;
    expect(hide(text)).toEqual({ text, hidden: [] });
  });

  it('replaces each secret with its own placeholder', () => {
    const { text, hidden } = hide(`{"provider":{"api_token":"${STORED}","api_tokn":"other"},"x":"third"}`);
    expect(text).toBe(`{"provider":{"api_token":"••••","api_tokn":"••••1"},"x":"••••2"}`);
    expect(hidden).toEqual([
      { key: 'api_tokn', value: 'other' },
      { key: 'x', value: 'third' },
    ]);
  });

  it('processes a text of the maximum size without delay', () => {
    const text = `[${'"a" \n '.repeat(170_000)}`;
    let found = 0;
    expect(cpuTimeOf(() => (found = hide(text).hidden.length))).toBeLessThan(5_000);
    expect(found).toBe(170_000);
  });
});

describe('showValues (restores hidden secrets)', () => {
  const hidden = [
    { key: 'api_tokn', value: 'other' },
    { key: 'config_path', value: `/nix/${TOKEN}` },
  ];

  it('restores a secret only in a secret field or in the field from which the secret was hidden', () => {
    const document = {
      provider: { api_token: '••••1', ssh_keys: ['a'] },
      balancer: { config_path: '••••2' },
      max_online_players: 5,
    };
    expect(showValues(FIELDS, document, hidden)).toEqual({
      value: {
        provider: { api_token: 'other', ssh_keys: ['a'] },
        balancer: { config_path: `/nix/${TOKEN}` },
        max_online_players: 5,
      },
      problems: [],
    });
  });

  it('rejects placeholders in public fields, and placeholders that it does not know', () => {
    const { problems } = showValues(
      FIELDS,
      { provider: { location: '••••1', api_token: '••••9', ssh_keys: ['••••1'] } },
      hidden,
    );
    expect(problems.map(({ field, problem }) => `${field} ${problem}`)).toEqual([
      'provider.location contains ••••1, which only stands for a hidden value; write the value itself',
      'provider.api_token contains ••••9, which only stands for a hidden value; write the value itself',
      'provider.ssh_keys[0] contains ••••1, which only stands for a hidden value; write the value itself',
    ]);
  });
});
