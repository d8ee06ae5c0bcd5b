import { StreamLanguage, type StreamParser } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { CodeLanguage } from './contract.ts';

/** Loads the highlighting of a language. Each language is a separate chunk, which is loaded on first use. */
export async function loadLanguage(language: CodeLanguage): Promise<Extension> {
  switch (language) {
    case 'json':
      return (await import('@codemirror/lang-json')).json();
    case 'yaml':
      return (await import('@codemirror/lang-yaml')).yaml();
    case 'properties':
      return stream((await import('@codemirror/legacy-modes/mode/properties')).properties);
    case 'toml':
      return stream((await import('@codemirror/legacy-modes/mode/toml')).toml);
    case 'shell':
      return stream((await import('@codemirror/legacy-modes/mode/shell')).shell);
    case 'xml':
      return stream((await import('@codemirror/legacy-modes/mode/xml')).xml);
    case 'text':
      return [];
  }
}

function stream(parser: StreamParser<unknown>): Extension {
  return StreamLanguage.define(parser);
}
