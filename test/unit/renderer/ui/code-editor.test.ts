import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeLanguages } from '#renderer/ui/code/contract.ts';
import CodeEditor from '#renderer/ui/code/CodeEditor.svelte';
import DiffView from '#renderer/ui/code/DiffView.svelte';
import { pretendLayout } from '../support/pretend-layout.ts';

let restore: () => void;
beforeAll(() => (restore = pretendLayout({ width: 800, height: 600 })));
afterAll(() => restore());

/** Returns the editable element within the editor's shadow root. */
async function contentOf(container: Element): Promise<HTMLElement> {
  return waitFor(() => {
    const [content] = contentsOf(container);
    if (content === undefined) throw new Error('the editor is not there yet');
    return content;
  });
}

function contentsOf(container: Element): readonly HTMLElement[] {
  const hosts = [...container.querySelectorAll('.host')];
  return hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll<HTMLElement>('.cm-content') ?? [])]);
}

describe('the code editor', () => {
  it.each(codeLanguages)('opens %s with the text and an accessible name', async (language) => {
    const { container } = render(CodeEditor, { value: 'key = 1\nsecond', language, label: 'A file' });
    const content = await contentOf(container);
    expect(content.textContent).toBe('key = 1second');
    expect(content.getAttribute('aria-label')).toBe('A file');
    expect(content.getAttribute('aria-description')).toContain('press Escape first');
  });

  it('accepts a new text from the app without reporting a change by the user', async () => {
    const onchange = vi.fn();
    const props = { value: 'one\ntwo', language: 'text' as const, label: 'A file', onchange };
    const { container, rerender } = render(CodeEditor, props);
    const content = await contentOf(container);
    await rerender({ ...props, value: 'one\nthree' });
    await waitFor(() => expect(content.textContent).toBe('onethree'));
    expect(onchange).not.toHaveBeenCalled();
  });

  it('shows a text with CRLF line ends without additional lines', async () => {
    const props = { value: 'a\r\nb\r\nc', language: 'text' as const, label: 'A file' };
    const { container, rerender } = render(CodeEditor, props);
    const content = await contentOf(container);
    const lines = () => [...content.querySelectorAll('.cm-line')].map((line) => line.textContent);
    // The effect that shows the problem also compares the text.
    await rerender({ diagnostics: [{ line: 1, severity: 'error', message: 'is wrong' }] });
    await waitFor(() => expect(content.querySelector('.cm-lintRange-error')).not.toBeNull());
    expect(lines()).toEqual(['a', 'b', 'c']);
    await rerender({ value: 'a\r\nx\r\nc' });
    await waitFor(() => expect(lines()).toEqual(['a', 'x', 'c']));
  });

  it("saves with Ctrl+S, and does not pass other keys to the app's shortcuts", async () => {
    const onsave = vi.fn();
    const heard: string[] = [];
    const listen = (event: KeyboardEvent): void => void heard.push(event.key);
    window.addEventListener('keydown', listen);
    const { container } = render(CodeEditor, { value: 'x', language: 'json', label: 'A file', onsave });
    const content = await contentOf(container);
    for (const key of ['a', 'Escape', 'ArrowDown']) await fireEvent.keyDown(content, { key, composed: true });
    await fireEvent.keyDown(content, { key: 's', ctrlKey: true, composed: true });
    await fireEvent.keyDown(content, { key: 'F6', composed: true });
    window.removeEventListener('keydown', listen);
    expect(onsave).toHaveBeenCalledOnce();
    expect(heard).toEqual(['F6']);
  });

  it('saves once while Ctrl+S is held down', async () => {
    const onsave = vi.fn();
    const { container } = render(CodeEditor, { value: 'x', language: 'json', label: 'A file', onsave });
    const content = await contentOf(container);
    const press = { key: 's', ctrlKey: true, composed: true };
    await fireEvent.keyDown(content, press);
    await fireEvent.keyDown(content, { ...press, repeat: true });
    expect(onsave).toHaveBeenCalledOnce();
  });

  it('passes Ctrl+S to the window if it has nothing to save', async () => {
    const heard = vi.fn();
    window.addEventListener('keydown', heard);
    const { container } = render(CodeEditor, { value: 'x', language: 'json', label: 'A file' });
    await fireEvent.keyDown(await contentOf(container), { key: 's', ctrlKey: true, composed: true });
    window.removeEventListener('keydown', heard);
    expect(heard).toHaveBeenCalledOnce();
  });

  it('shows the number of problems, and whether the text is read-only', async () => {
    const { container, rerender } = render(CodeEditor, {
      value: 'a\nb',
      language: 'json',
      label: 'A file',
      diagnostics: [
        { line: 2, severity: 'error', message: 'is wrong' },
        { line: 99, severity: 'error', message: 'is beyond the end' },
      ],
    });
    const content = await contentOf(container);
    expect(screen.getByText(/2 problems/)).toBeTruthy();
    await rerender({ readonly: true });
    await waitFor(() => expect(content.getAttribute('aria-readonly')).toBe('true'));
    expect(content.getAttribute('aria-description')).toBeNull();
    expect(screen.getByText(/Read only/)).toBeTruthy();
  });
});

describe('the comparison of two texts', () => {
  const before = { text: 'one\ntwo\n', label: 'Saved' };
  const after = { text: 'one\nthree\n', label: 'Your form' };

  it('shows both texts side by side, without a way to change them', async () => {
    const { container } = render(DiffView, { before, after, language: 'json' });
    await waitFor(() => expect(contentsOf(container)).toHaveLength(2));
    expect(contentsOf(container).map((content) => content.getAttribute('aria-label'))).toEqual([
      'Saved',
      'Your form',
    ]);
    expect(contentsOf(container).every((one) => one.getAttribute('aria-readonly') === 'true')).toBe(true);
  });

  it('shows removed and added lines in one column', async () => {
    const { container } = render(DiffView, { before, after, language: 'json', layout: 'unified' });
    const content = await contentOf(container);
    expect(content.textContent).toContain('two');
    expect(content.textContent).toContain('three');
  });

  it('shows that the texts do not differ', () => {
    render(DiffView, { before, after: before, language: 'json' });
    expect(screen.getByText('No difference.')).toBeTruthy();
  });
});
