import { describe, expect, it } from 'vitest';
import { masterDraft, templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { aTemplate } from '#test/support/app/models.ts';

function aDraft() {
  templateDrafts.forget('lobby');
  return templateDrafts.open(aTemplate('lobby', { maxPlayers: 20 }));
}

describe('edited document as form and JSON', () => {
  it('shows the same values in form and JSON after either is changed', () => {
    const draft = aDraft();
    expect(draft.dirty).toBe(false);
    draft.setText('{\n  "name": "Lobby", "maxPlayers": 30\n}');
    expect(draft.inputs['maxPlayers']).toBe('30');
    expect(draft.text, 'as it was typed').toContain('"name": "Lobby", "maxPlayers": 30');
    draft.set('maxPlayers', '40');
    expect(JSON.parse(draft.text)).toMatchObject({ name: 'Lobby', maxPlayers: 40 });
  });

  it('keeps invalid JSON as text, which leaves the form unchanged and cannot be saved', () => {
    const draft = aDraft();
    draft.set('priority', '7');
    draft.setText('{\n  "priority": 8,\n}');
    expect(draft.text).toBe('{\n  "priority": 8,\n}');
    expect(draft.unreadable).toContain('in line 3');
    expect(draft.inputs['priority']).toBe('7');
    expect([draft.dirty, draft.valid, draft.showAll()]).toEqual([true, false, false]);
    draft.dropText();
    expect(draft.unreadable).toBeUndefined();
    expect(JSON.parse(draft.text)).toMatchObject({ priority: 7 });
  });

  it('saves unknown settings of a newer master unchanged, and shows them neither in the form nor in JSON', () => {
    templateDrafts.forget('lobby');
    const config = { ...aTemplate('lobby', { maxPlayers: 20 }).config, world_border: 500 };
    const draft = templateDrafts.open(aTemplate('lobby', config));
    expect(draft.dirty).toBe(false);
    draft.setText('{ "maxPlayers": 30 }');
    expect(draft.text).not.toContain('world_border');
    expect([draft.valid, draft.changes.map(({ path }) => path)]).toEqual([true, ['name', 'maxPlayers']]);
    expect(draft.toSave).toMatchObject({ maxPlayers: 30, world_border: 500 });
    templateDrafts.forget('lobby');
  });

  it('counts as unsaved while its JSON is invalid', () => {
    const draft = aDraft();
    draft.setText('{');
    expect(draft.dirty).toBe(true);
    expect(allUnsaved()).toContain('template lobby');
    draft.discard();
    expect(draft.dirty).toBe(false);
  });

  it('shows in the form a value that exceeds its limits', () => {
    const draft = aDraft();
    draft.setText('{ "priority": 5000 }');
    expect(draft.unreadable).toBeUndefined();
    expect(draft.inputs['priority']).toBe('5000');
    expect(draft.valid).toBe(false);
  });

  it("keeps the user's changes on top of a newer version from the master", () => {
    const draft = aDraft();
    draft.set('maxPlayers', '40');
    draft.set('priority', '7');
    const theirs = { config: { ...aTemplate('lobby').config, maxPlayers: 60 }, revision: 'r9' };
    draft.rebase(theirs, { maxPlayers: 'theirs' });
    expect(draft.base.revision).toBe('r9');
    expect(draft.changes.map(({ path, to }) => [path, to])).toEqual([['priority', 7]]);
  });

  it('never contains a secret in its JSON, not even one that was just typed', () => {
    masterDraft.forget();
    const config = masterConfigSchema.parse({ provider: { api_token: '••••' } });
    const draft = masterDraft.open({ config, revision: 'r1' });
    draft.set('provider.api_token', 'typed-just-now');
    expect(draft.text).not.toContain('typed-just-now');
    draft.setText(draft.text.replace('"nbg1"', '"fsn1"'));
    expect(draft.reading.document).toMatchObject({
      provider: { api_token: 'typed-just-now', location: 'fsn1' },
    });
    expect(allUnsaved()).toContain('the master configuration');
    masterDraft.forget();
  });
});
