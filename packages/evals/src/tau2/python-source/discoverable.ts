import { strip } from '../python/text.js';
import type { PyDict, PyValue } from '../python/value.js';
import { cleanDocstring } from './docstring.js';
import type { PythonFunction } from './module.js';

/** What the benchmark puts where a docstring does not say what comes out. */
const UNTOLD = 'Action completed successfully.';

const PARAMETER = /^\s*(\w+)\s*(?:\(([^)]+)\))?\s*:\s*(.+?)$/gm;

/**
 * What an agent is told about a tool when it unlocks it. Read otherwise than schemas are: only a section of parameters ends
 * the description, so that a tool without any keeps what it returns in it.
 */
export function discoverableInfo({ name, docstring }: PythonFunction): PyDict {
  const text = cleanDocstring(docstring ?? '');
  const [description, section] = cutAt(text, 'Args');
  const [listed, returned] = section === undefined ? [''] : cutAt(section, 'Returns');
  const told = returned === undefined ? UNTOLD : strip(strip(returned).split('\n')[0] ?? '');
  const parameters: PyDict = new Map();
  for (const [, parameter = '', type, meaning = ''] of listed.matchAll(PARAMETER))
    parameters.set(parameter, described(type ?? 'string', meaning));
  return new Map<string, PyValue>([
    ['name', name],
    ['description', strip(description)],
    ['parameters', parameters],
    ['success_message', told],
  ]);
}

function cutAt(text: string, title: string): readonly [string, string?] {
  const found = new RegExp(`\\n\\s*${title}:\\s*\\n`).exec(text);
  return found === null ? [text] : [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

function described(type: string, meaning: string): PyDict {
  return new Map<string, PyValue>([
    ['type', strip(type.replaceAll(/,?\s*optional/gi, '')) || 'string'],
    ['description', strip(meaning)],
    ['required', !type.toLowerCase().includes('optional')],
  ]);
}

/** The same as lines of text. */
export function formattedInfo(info: PyDict): string {
  const parameters = [...(info.get('parameters') as PyDict)].map(([name, value]) => {
    const parameter = value as PyDict;
    const need = parameter.get('required') === true ? 'required' : 'optional';
    return `  - ${name}: ${parameter.get('type')} (${need}) - ${parameter.get('description')}`;
  });
  const lines = parameters.length === 0 ? ['  (no parameters)'] : parameters;
  return [`Tool: ${info.get('name')}`, `Description: ${info.get('description')}`, 'Parameters:', ...lines].join('\n');
}
