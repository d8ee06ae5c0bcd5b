import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { JVM_ARGUMENT_PRESETS } from '#shared/config/start-up.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

let stops: (() => void)[] = [];
let saved: TemplateConfig | null = null;
/**
 * Version of the template document. Each test uses another version, because otherwise the window would keep the
 * values of the previous test.
 */
let version = 0;

/** Opens the settings of a template with these values. */
function open(config: Partial<TemplateConfig> = {}): void {
  version += 1;
  const template = aTemplate('lobby', config, { configRevision: `r${version}` });
  const world: WindowWorld = { templates: [template], services: [] };
  const bridge = bridgeOver(world);
  bridge.answerCall('templates.update', ({ id, config: sent }) => {
    // The form sends whole documents.
    saved = sent as TemplateConfig;
    return aTemplate(id, saved, { configRevision: `r${version}-saved` });
  });
  stops.push(connectStores(bridge));
  route.go('templates', 'lobby');
  render(TemplatesScreen);
}

beforeEach(() => {
  saved = null;
  stops = [pretendLayout({ width: 1200, height: 800 })];
});

afterEach(() => {
  for (const stop of stops.reverse()) stop();
  templateDrafts.forget('lobby');
});

/** Saves, and returns the document that was sent. */
async function save(): Promise<TemplateConfig> {
  await fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
  return waitFor(() => {
    if (saved === null) throw new Error('nothing was saved yet');
    return saved;
  });
}

describe('the start-up settings of a template', () => {
  it('offer the usual versions of Java, and the current version if it is another one', async () => {
    open({ java: '24' });
    const java = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Java' });
    expect([...java.options].map(({ label }) => label)).toEqual([
      ...['Automatic', 'Java 25', 'Java 21', 'Java 17', 'Java 11', 'Java 8', 'Java 24'],
    ]);
    expect(java.value).toBe('24');
    await fireEvent.change(java, { target: { value: '25' } });
    expect((await save()).java).toBe('25');
  });

  it('accept JVM arguments in one pasted line, and add a preset without duplicates', async () => {
    open({ jvmArguments: ['-XX:+UseG1GC'] });
    await screen.findByRole('button', { name: 'Remove -XX:+UseG1GC' });
    const box = screen.getByRole('textbox', { name: 'JVM arguments' });
    await fireEvent.paste(box, {
      clipboardData: { getData: () => '-Dfile.encoding=UTF-8 -Xlog:gc*:file=gc.log:time,uptime' },
    });
    const trigger = screen.getByRole('button', { name: /Add preset/ });
    trigger.focus();
    await fireEvent.keyDown(trigger, { key: 'Enter' });
    await fireEvent.click(await screen.findByRole('menuitem', { name: /Aikar/ }));
    const { jvmArguments } = await save();
    expect(jvmArguments.slice(0, 3)).toEqual([
      '-XX:+UseG1GC',
      '-Dfile.encoding=UTF-8',
      '-Xlog:gc*:file=gc.log:time,uptime',
    ]);
    expect(jvmArguments).toHaveLength(2 + (JVM_ARGUMENT_PRESETS[0]?.arguments.length ?? 0));
  });

  it('explain why an argument or variable is not allowed', async () => {
    open();
    const box = await screen.findByRole('textbox', { name: 'JVM arguments' });
    await fireEvent.input(box, { target: { value: '-Xmx4G' } });
    await fireEvent.keyDown(box, { key: 'Enter' });
    await fireEvent.focusOut(box);
    expect((await screen.findAllByText(/use minJvmMemory and maxJvmMemory/)).length).toBeGreaterThan(0);
    await fireEvent.click(screen.getByRole('button', { name: 'Add variable' }));
    const name = await screen.findByRole('textbox', { name: 'Name 1' });
    await fireEvent.input(name, { target: { value: 'LD_PRELOAD' } });
    await fireEvent.blur(name);
    expect((await screen.findAllByText(/changes which programs are loaded/)).length).toBeGreaterThan(0);
  });

  it('store environment variables, and store times in seconds', async () => {
    open();
    await fireEvent.click(await screen.findByRole('button', { name: 'Add variable' }));
    await fireEvent.input(await screen.findByRole('textbox', { name: 'Name 1' }), {
      target: { value: 'DB_PASSWORD' },
    });
    await fireEvent.input(screen.getByRole('textbox', { name: 'Value 1' }), { target: { value: 'x y' } });
    const timeout = screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Start timeout' });
    expect(timeout.value).toBe('5 min');
    await fireEvent.input(timeout, { target: { value: '1 h 30 min' } });
    expect(await save()).toMatchObject({
      environment: [{ name: 'DB_PASSWORD', value: 'x y' }],
      startTimeout: 5400,
    });
  });
});
