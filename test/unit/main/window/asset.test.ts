import { describe, expect, it } from 'vitest';
import { CONTENT_SECURITY_POLICY, findAsset } from '#main/window/asset.ts';

const root = '/app/dist/renderer';

describe('the files that the window can load', () => {
  it.each([
    ['app://overworld/', '/app/dist/renderer/index.html', 'text/html; charset=utf-8'],
    ['app://overworld/#/services/a', '/app/dist/renderer/index.html', 'text/html; charset=utf-8'],
    [
      'app://overworld/assets/index-1.js',
      '/app/dist/renderer/assets/index-1.js',
      'text/javascript; charset=utf-8',
    ],
    ['app://overworld/a%20b.css?x', '/app/dist/renderer/a b.css', 'text/css; charset=utf-8'],
    ['app://overworld/f/inter.woff2', '/app/dist/renderer/f/inter.woff2', 'font/woff2'],
  ])('include %s, which is read from %s', (url, path, contentType) => {
    expect(findAsset(root, url)).toEqual({ path, contentType });
  });

  it.each([
    ['app://overworld/..%2f..%2fpackage.json', 'an escaped path to a parent folder'],
    ['app://overworld/..%5c..%5cpackage.json', 'an escaped Windows path to a parent folder'],
    ['app://overworld/etc/passwd%00.js', 'a name with a NUL'],
    ['app://overworld/%ff.js', 'a name that is not UTF-8'],
    ['app://elsewhere/index.html', 'another host'],
    ['file:///app/dist/renderer/index.html', 'another scheme'],
    ['https://overworld/index.html', 'a network address'],
    ['app://overworld/.env', 'a file type that the page does not use'],
    ['app://overworld/assets', 'a folder'],
    ['nonsense', 'not a URL'],
  ])('do not include %s: %s', (url) => {
    expect(findAsset(root, url)).toBeNull();
  });

  it.each(['app://overworld/../../a.js', 'app://overworld/%2e%2e/%2e%2e/a.js', 'app://overworld//etc/a.js'])(
    'are all inside the folder of the page, even for the address %s',
    (url) => {
      expect(findAsset(root, url)?.path).toMatch(/^\/app\/dist\/renderer\/(etc\/)?a\.js$/);
    },
  );

  it('cannot run inline scripts or scripts from other addresses', () => {
    const scripts = CONTENT_SECURITY_POLICY.split('; ').find((rule) => rule.startsWith('script-src'));
    expect(scripts).toBe("script-src 'self'");
    expect(CONTENT_SECURITY_POLICY).toMatch(/^default-src 'none'/);
    expect(CONTENT_SECURITY_POLICY).not.toContain('unsafe-eval');
    expect(CONTENT_SECURITY_POLICY).not.toContain('http');
  });
});
