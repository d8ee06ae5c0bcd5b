import { describe, expect, it } from 'vitest';
import { toShownPlugin } from '#renderer/view/service/plugin.ts';
import { aPlugin, aService, aTemplate } from '#test/support/app/models.ts';

const proxy = aTemplate('proxy', { isProxy: true });
const paper = aTemplate('lobby', { isProxy: false });
const vanilla = aTemplate(
  'arena',
  { isProxy: false },
  {
    files: { ...paper.files, jar: { bytes: 1, modifiedAt: 1, software: 'net.minecraft.bundler.Main' } },
  },
);

describe('the plugin state that is shown for a service', () => {
  it('is the state that the plugin has reported', () => {
    expect(toShownPlugin(aService('arena', 1, { plugin: aPlugin() }), vanilla)).toBe('linked');
    expect(toShownPlugin(aService('proxy', 1, { plugin: aPlugin({ state: 'silent' }) }), undefined)).toBe(
      'silent',
    );
  });

  it('is "missing" for a proxy or a Bukkit server whose plugin has not reported', () => {
    expect(toShownPlugin(aService('proxy', 1), proxy)).toBe('missing');
    expect(toShownPlugin(aService('lobby', 1), paper)).toBe('missing');
    expect(toShownPlugin(aService('arena', 1), vanilla)).toBeNull();
  });

  it('is "missing" only if the service is up and not stopping', () => {
    const stopping = { since: 1, cause: 'unused', restart: false };
    expect(toShownPlugin(aService('proxy', 1, { state: 'STARTING' }), proxy)).toBeNull();
    expect(toShownPlugin(aService('proxy', 1, { stopping }), proxy)).toBeNull();
    expect(toShownPlugin(aService('proxy', 1), undefined)).toBeNull();
  });
});
