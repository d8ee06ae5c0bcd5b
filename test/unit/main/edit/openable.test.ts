import { describe, expect, it } from 'vitest';
import { isDisguised, isOpenable } from '#main/edit/openable.ts';

describe('isOpenable (whether a file may be opened in another program)', () => {
  it.each([
    'server.properties',
    'spigot.yml',
    'ops.json',
    'a.toml',
    'icon.PNG',
    'level.dat',
    'a.jar.txt',
    'latest.log',
  ])('allows %s', (name) => expect(isOpenable(name)).toBe(true));

  it('rejects types of files that a desktop would run, install or follow as a link', () => {
    const names = [
      'a.jar',
      'a.txt.EXE',
      'Notes.Desktop',
      'x.lnk',
      '.msi',
      'start.sh',
      'start.bat',
      'a.js',
      'a.PY',
    ];
    const more = [
      'a.command',
      'a.url',
      'a.AppImage',
      'a.hta',
      'a.html',
      'a.svg',
      'a.pdf',
      'a.docm',
      'a.zip',
      'a.reg',
    ];
    expect([...names, ...more].filter(isOpenable)).toEqual([]);
  });

  it('rejects unknown types of files, and names that hide the type', () => {
    const names = [
      'LICENSE',
      'a.',
      'a.newtype',
      '.txt',
      'a.txt.',
      'a.txt ',
      'a.txt. ',
      'a.exe\u202Etxt',
      'a.txt:b',
      '',
    ];
    expect(names.filter(isOpenable)).toEqual([]);
  });
});

describe('isDisguised (whether a Linux desktop may open a text file as HTML, XML or a shortcut)', () => {
  it.each([
    '<html>',
    '  \n<!DOCTYPE html><p>',
    '# a comment\n<ScRiPt src="x">',
    '<?xml version="1.0"?><svg/>',
    '[Desktop Entry]\nType=Application',
    Buffer.from('\ufeff<html>', 'utf16le'),
  ])('returns true for %j', (content) => expect(isDisguised(Buffer.from(content))).toBe(true));

  it.each([
    'motd=Hello\nserver-port=25565\n',
    '{"text": "<bold>hi</bold> <head:Notch>"}',
    '#!/bin/sh\n',
    `${'#'.repeat(2000)}<html>`,
    '',
  ])('returns false for %j', (content) => expect(isDisguised(Buffer.from(content))).toBe(false));
});
