import { describe, expect, it, onTestFinished } from 'vitest';
import { link } from '#renderer/stores/connection/link.svelte.ts';
import { masterDraft, templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { aLink, aTemplate } from '#test/support/app/models.ts';

function aDraft() {
  templateDrafts.forget('lobby');
  return templateDrafts.open(aTemplate('lobby', { maxPlayers: 20 }));
}

describe('a draft (edited document) with a form and a JSON view', () => {
  it('shows a change of the form in the JSON view, and vice versa', () => {
    const draft = aDraft();
    expect(draft.dirty).toBe(false);
    draft.setText('{\n  "name": "Lobby", "maxPlayers": 30\n}');
    expect(draft.inputs['maxPlayers']).toBe('30');
    expect(draft.text, 'as it was typed').toContain('"name": "Lobby", "maxPlayers": 30');
    draft.set('maxPlayers', '40');
    expect(JSON.parse(draft.text)).toMatchObject({ name: 'Lobby', maxPlayers: 40 });
  });

  it('keeps invalid JSON as text, does not change the form, and cannot be saved', () => {
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

  it('saves unknown settings of a newer master unchanged, and does not show them', () => {
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

  it('has unsaved changes while its JSON is invalid', () => {
    const draft = aDraft();
    draft.setText('{');
    expect(draft.dirty).toBe(true);
    expect(allUnsaved()).toContain('template lobby');
    draft.discard();
    expect(draft.dirty).toBe(false);
  });

  it('shows a value outside of its limits in the form', () => {
    const draft = aDraft();
    draft.setText('{ "priority": 5000 }');
    expect(draft.unreadable).toBeUndefined();
    expect(draft.inputs['priority']).toBe('5000');
    expect(draft.valid).toBe(false);
  });

  it("applies the user's changes to a newer version from the master", () => {
    const draft = aDraft();
    draft.set('maxPlayers', '40');
    draft.set('priority', '7');
    const theirs = { config: { ...aTemplate('lobby').config, maxPlayers: 60 }, revision: 'r9' };
    draft.rebase(theirs, { maxPlayers: 'theirs' });
    expect(draft.base.revision).toBe('r9');
    expect(draft.changes.map(({ path, to }) => [path, to])).toEqual([['priority', 7]]);
  });

  it('after a save, keeps only the values that the user entered after the save was sent', () => {
    masterDraft.forget();
    const config = masterConfigSchema.parse({});
    const draft = masterDraft.open({ config, revision: 'r1' });
    draft.set('provider.api_token', 'typed');
    const sent = draft.input;
    draft.set('provider.location', 'fsn1');
    const masked = masterConfigSchema.parse({ provider: { api_token: '••••' } });
    draft.continueFrom({ config: masked, revision: 'r2' }, sent);
    expect(draft.base.revision).toBe('r2');
    expect(draft.changes.map(({ path, to }) => [path, to])).toEqual([['provider.location', 'fsn1']]);
    masterDraft.forget();
  });

  it('after a save, keeps JSON that the user typed after the save was sent', () => {
    const draft = aDraft();
    draft.setText('{ "name": "lobby", "maxPlayers": 30 }');
    const sent = draft.input;
    const saved = { config: draft.toSave, revision: 'r2' };
    draft.continueFrom(saved, sent);
    expect([draft.dirty, draft.inputs['maxPlayers']]).toEqual([false, '30']);
    draft.setText('{ "name": "lobby", "maxPlayers": 30, }');
    draft.continueFrom(saved, sent);
    expect([draft.text, draft.dirty]).toEqual(['{ "name": "lobby", "maxPlayers": 30, }', true]);
    draft.setText('{ "name": "lobby",  "maxPlayers": 30 }');
    draft.continueFrom(saved, sent);
    expect([draft.text, draft.dirty]).toEqual(['{ "name": "lobby",  "maxPlayers": 30 }', false]);
  });

  it('never shows a secret in the JSON view, even if the user has just typed it', () => {
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

  it('has the settings of an updated master when it is opened again, unless it has unsaved changes', () => {
    masterDraft.forget();
    const version = { config: masterConfigSchema.parse({}), revision: 'r1' };
    const connectTo = (apiVersion: number): void => {
      link.value = aLink({ master: { version: '0.0.9', apiVersion } });
    };
    onTestFinished(() => {
      link.value = null;
      masterDraft.forget();
    });
    connectTo(API_VERSION - 1);
    const older = masterDraft.open(version);
    older.set('max_online_players', '7');
    connectTo(API_VERSION);
    expect(masterDraft.open(version)).toBe(older);
    older.discard();
    const newer = masterDraft.open(version);
    expect(newer.fields.length).toBeGreaterThan(older.fields.length);
    expect(masterDraft.open(version)).toBe(newer);
  });
});
