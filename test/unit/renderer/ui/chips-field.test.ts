import { createEvent, fireEvent, render, screen } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import ChipsField from '#renderer/ui/form/ChipsField.svelte';

function open(items: readonly string[], more: object = {}) {
  const onchange = vi.fn<(items: readonly string[]) => void>();
  render(ChipsField, { label: 'SSH keys', items, onchange, ...more });
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'SSH keys' });
  return { onchange, input };
}

describe('the input for a list of texts (chips)', () => {
  it.each(['Enter', ','])('adds the typed text after %s, and announces it to screen readers', async (key) => {
    const { onchange, input } = open(['a']);
    await fireEvent.input(input, { target: { value: ' b c ' } });
    await fireEvent.keyDown(input, { key });
    expect(onchange).toHaveBeenLastCalledWith(['a', 'b c']);
    expect(input.value).toBe('');
    expect(screen.getByRole('status').textContent).toBe('Added b c');
  });

  it('submits the form with Enter if nothing is typed', async () => {
    const { onchange, input } = open(['a']);
    expect(await fireEvent.keyDown(input, { key: 'Enter' })).toBe(true);
    expect(onchange).not.toHaveBeenCalled();
  });

  it('removes the last chip with Backspace if the input is empty', async () => {
    const { onchange, input } = open(['a', 'b']);
    await fireEvent.input(input, { target: { value: 'x' } });
    await fireEvent.keyDown(input, { key: 'Backspace' });
    expect(onchange).not.toHaveBeenCalled();
    await fireEvent.input(input, { target: { value: '' } });
    await fireEvent.keyDown(input, { key: 'Backspace' });
    expect(onchange).toHaveBeenCalledWith(['a']);
    expect(screen.getByRole('status').textContent).toBe('Removed b');
  });

  it('splits a pasted list into several chips, without duplicates', async () => {
    const { onchange, input } = open(['a']);
    const paste = createEvent.paste(input);
    Object.assign(paste, { clipboardData: { getData: () => 'b\n a,c;\r\nb\n' } });
    await fireEvent(input, paste);
    expect(onchange).toHaveBeenCalledWith(['a', 'b', 'c']);
  });

  it('adds a single pasted text at once, but leaves it to the browser if a text is typed', async () => {
    const { onchange, input } = open(['a']);
    const paste = () => fireEvent.paste(input, { clipboardData: { getData: () => ' b c ' } });
    await fireEvent.input(input, { target: { value: 'x' } });
    expect(await paste()).toBe(true);
    expect(onchange).not.toHaveBeenCalled();
    await fireEvent.input(input, { target: { value: '' } });
    expect(await paste()).toBe(false);
    expect(onchange).toHaveBeenCalledWith(['a', 'b c']);
    expect(input.value).toBe('');
  });

  it('splits typed and pasted texts in the given way', async () => {
    const { onchange, input } = open([], { split: (text: string) => text.split('|') });
    await fireEvent.input(input, { target: { value: 'a,b' } });
    expect(await fireEvent.keyDown(input, { key: ',' })).toBe(true);
    expect(onchange).not.toHaveBeenCalled();
    await fireEvent.keyDown(input, { key: '|' });
    expect(onchange).toHaveBeenLastCalledWith(['a,b']);
    await fireEvent.paste(input, { clipboardData: { getData: () => 'c,d|e' } });
    expect(onchange).toHaveBeenLastCalledWith(['c,d', 'e']);
  });

  it('splits a text at a separator that is typed or pasted inside it', async () => {
    const { onchange, input } = open([]);
    await fireEvent.input(input, { target: { value: 'abcd' } });
    input.setSelectionRange(2, 2);
    await fireEvent.paste(input, { clipboardData: { getData: () => '1,2' } });
    expect(onchange).toHaveBeenLastCalledWith(['ab1', '2cd']);
  });

  it.each([
    ['Ctrl', { ctrlKey: true }],
    ['Cmd', { metaKey: true }],
    ['an input method', { isComposing: true }],
  ])('leaves a separator key to the browser if it is used with %s', async (_, modifier) => {
    const { onchange, input } = open([]);
    expect(await fireEvent.keyDown(input, { key: ',', ...modifier })).toBe(true);
    await fireEvent.input(input, { target: { value: 'ab' } });
    expect(await fireEvent.keyDown(input, { key: ',', ...modifier })).toBe(true);
    expect(onchange).not.toHaveBeenCalled();
    expect(input.value).toBe('ab');
  });

  it('adds the typed text after a separator that is typed with AltGr', async () => {
    const { onchange, input } = open([], { split: (text: string) => text.split('|') });
    await fireEvent.input(input, { target: { value: 'ab' } });
    await fireEvent.keyDown(input, { key: '|', ctrlKey: true, altKey: true, modifierAltGraph: true });
    expect(onchange).toHaveBeenLastCalledWith(['ab']);
  });

  it('shows that a chip already exists', async () => {
    const { onchange, input } = open(['a']);
    await fireEvent.input(input, { target: { value: 'a' } });
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(onchange).not.toHaveBeenCalled();
    expect(screen.getByRole('status').textContent).toBe('a is already in the list');
  });

  it('adds the typed text when the user leaves the field', async () => {
    const onleave = vi.fn();
    const { onchange, input } = open([], { onleave });
    await fireEvent.input(input, { target: { value: 'b' } });
    await fireEvent.focusOut(input, { relatedTarget: document.body });
    expect(onchange).toHaveBeenCalledWith(['b']);
    expect(onleave).toHaveBeenCalledOnce();
  });

  it("marks an invalid chip, and removes a chip with the chip's button", async () => {
    const { onchange } = open(['good', 'bad'], {
      check: (item: string) => (item === 'bad' ? 'is no name' : undefined),
    });
    expect(screen.getByText(': is no name')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Remove good' }));
    expect(onchange).toHaveBeenCalledWith(['bad']);
  });

  it('shows each occurrence of a repeated item, and removes only the one whose button was pressed', async () => {
    const { onchange } = open(['a', 'b', 'a', 'c']);
    const buttons = screen.getAllByRole('button', { name: 'Remove a' });
    expect(buttons).toHaveLength(2);
    await fireEvent.click(buttons[1] ?? document.body);
    expect(onchange).toHaveBeenCalledWith(['a', 'b', 'c']);
  });

  it('cannot be changed while it is disabled', () => {
    const { input } = open(['a'], { disabled: true });
    expect(input.disabled).toBe(true);
    expect(screen.queryByRole('button', { name: 'Remove a' })).toBeNull();
  });
});
