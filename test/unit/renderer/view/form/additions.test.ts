import { describe, expect, it } from 'vitest';
import { additionsOf } from '#renderer/view/form/additions.ts';

const paths = (facts: Parameters<typeof additionsOf>[0], behindProxy = true): readonly string[] =>
  additionsOf(facts, behindProxy).map(({ path }) => path);

describe('the list of files that Overworld adds to a service', () => {
  it.each([
    ['BungeeCord 1.21', ['plugins/overworld.jar', 'overworld-link.properties', 'config.yml']],
    [
      'Velocity 3.4.0',
      ['plugins/overworld.jar', 'overworld-link.properties', 'velocity.toml', 'forwarding.secret'],
    ],
    [null, ['plugins/overworld.jar', 'overworld-link.properties', 'server.properties']],
  ])('is correct for a proxy with %s', (software, want) => {
    expect(paths({ isProxy: true, software })).toEqual(want);
  });

  it.each([
    [
      'io.papermc.paperclip.Main',
      [
        'plugins/overworld.jar',
        'overworld-link.properties',
        'server.properties',
        'spigot.yml',
        'config/paper-global.yml',
      ],
    ],
    ['Overworld practice server 0.1.0', ['server.properties', 'spigot.yml']],
    ['net.minecraft.bundler.Main', ['server.properties']],
  ])('is correct for a game server that is behind a proxy and runs %s', (software, want) => {
    expect(paths({ isProxy: false, software })).toEqual(want);
  });

  it('contains no forwarding settings if the network has no proxy', () => {
    expect(paths({ isProxy: false, software: 'Overworld practice server 0.1.0' }, false)).toEqual([
      'server.properties',
    ]);
    expect(additionsOf({ isProxy: false, software: null }, true)[0]?.what).toContain('online-mode off');
  });
});
