import { describe, expect, it } from 'vitest';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { refuseFurtherSharedFiles } from '#master/admin/shared-files-limit.ts';

const entry = (path: string) => ({ path, destination: 'here' });

/** Returns the error code with which a document is refused. Null if the document is accepted. */
function codeOf(templates: TemplateLimit, before: readonly string[], document: unknown): string | null {
  try {
    const key = { role: 'operator', templates } as const;
    refuseFurtherSharedFiles('templates.update', key, { before: before.map(entry), document });
    return null;
  } catch (error) {
    return toOverworldError(error).code;
  }
}

const withFiles = (...paths: readonly string[]) => ({ defaultServiceFiles: paths.map(entry) });

describe('the shared files of a template', () => {
  it('can be kept, moved or removed with a key that is limited to some templates', () => {
    expect(codeOf(['lobby'], ['a', 'b'], withFiles('a', 'b'))).toBeNull();
    expect(codeOf(['lobby'], ['a', 'b'], withFiles('b'))).toBeNull();
    expect(codeOf(['lobby'], [], {})).toBeNull();
    expect(
      codeOf(['lobby'], ['a'], { defaultServiceFiles: [{ path: 'a', destination: 'there' }] }),
    ).toBeNull();
  });

  it('cannot be added with a key that is limited to some templates', () => {
    expect(codeOf(['lobby'], ['a'], withFiles('a', 'secrets.yml'))).toBe('FORBIDDEN');
    expect(codeOf(['*'], [], withFiles('a'))).toBe('FORBIDDEN');
    expect(codeOf(['lobby'], ['a'], withFiles('a/../b'))).toBeNull();
  });

  it('can be added with a key without a limit', () => {
    expect(codeOf(null, [], withFiles('a'))).toBeNull();
  });
});
