import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { handOverFile, type HandOverLines } from '#master/templates/hand-over.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Java program that prints the properties that Java reads in each file, with UTF-16 characters as numbers. */
const READER = `
import java.io.*;
import java.util.*;
public class Reader {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      Properties read = new Properties();
      try (InputStream in = new FileInputStream(file)) { read.load(in); }
      for (String key : new String[] {"host", "port", "fingerprint", "service", "token"}) {
        StringBuilder said = new StringBuilder();
        for (char one : read.getProperty(key).toCharArray()) said.append((int) one).append(' ');
        System.out.println(read.size() + " " + said.toString().trim());
      }
    }
  }
}
`;

it('the properties parser of Java reads each value in the connection file as it was written', async () => {
  const word = fc.string({
    unit: fc.constantFrom(
      'a',
      '9',
      '=',
      ':',
      '#',
      '!',
      '\\',
      ' ',
      '\t',
      '\n',
      '\r',
      '\u00e9',
      '\u20ac',
      '\ud83d\ude00',
    ),
    maxLength: 12,
  });
  const lines = fc.record({
    host: word,
    port: fc.nat(65_535),
    fingerprint: word,
    service: word,
    token: word,
  });
  const given: HandOverLines[] = fc.sample(lines, 100);
  const folder = temporaryFolder();
  await writeFile(join(folder, 'Reader.java'), READER);
  const files = given.map((_, index) => join(folder, `${index}.properties`));
  await Promise.all(given.map((one, index) => writeFile(files[index] ?? '', handOverFile(one))));
  const { stdout } = await promisify(execFile)('java', [join(folder, 'Reader.java'), ...files]);
  const letters = (text: string) =>
    Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).join(' ');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual(
    given.flatMap(({ host, port, fingerprint, service, token }) =>
      [host, String(port), fingerprint, service, token].map((value) => `5 ${letters(value)}`.trimEnd()),
    ),
  );
});
