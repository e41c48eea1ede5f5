/**
 * Shortens texts that repeat the same fragments in every row, such as the keys of a journal entry: a step of a
 * conversation costs a third of the bytes. Any text comes back exactly; what holds a code of its own is not shortened.
 *
 * Part of the stored format: fragments are added at the end, never changed, moved or removed.
 */
export class Shorthand {
  private readonly codes = new Map<string, string>();
  private readonly fragments = new Map<string, string>();
  private readonly anyFragment: RegExp;

  constructor(fragments: readonly string[]) {
    fragments.forEach((fragment, index) => {
      // 29 codes of one character, after them pairs that begin with 0x1e
      const code = index < 29 ? String.fromCharCode(index + 1) : `\u001e${String.fromCharCode(0x21 + index - 29)}`;
      this.codes.set(fragment, code);
      this.fragments.set(code, fragment);
    });
    const longestFirst = [...fragments].sort((a, b) => b.length - a.length);
    this.anyFragment = new RegExp(
      longestFirst.map((fragment) => fragment.replace(/[{}[\]\\.]/g, '\\$&')).join('|'),
      'g',
    );
  }

  /** Undefined when the text could not be told from a shortened one. */
  shorten(text: string): string | undefined {
    if (ANY_CODE.test(text)) return undefined;
    if (text.length > WORTHWHILE) return text;
    return text.replace(this.anyFragment, (fragment) => this.codes.get(fragment) ?? fragment);
  }

  expand(text: string): string {
    if (!ANY_CODE.test(text)) return text;
    return text.replace(EACH_CODE, (code) => this.fragments.get(code) ?? code);
  }
}

/** Longer texts are mostly content: looking for fragments in them costs more than it saves. */
const WORTHWHILE = 600;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters never occur in JSON, so they are free for codes
const ANY_CODE = /[\u0001-\u001e]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const EACH_CODE = /[\u0001-\u001d]|\u001e[\s\S]/g;

/** Bodies of journal entries, as JSON. */
export const entryShorthand = new Shorthand([
  '{"type":"ask-start","id":"',
  '{"type":"ask-end","id":"',
  '{"type":"intent","id":"',
  '{"type":"complete","id":"',
  '","fp":"',
  '","session":"',
  '","model":"',
  '","tip":"',
  '","reserved":{',
  '"modelCalls":',
  '"modelCalls":1,"tokensIn":',
  ',"tokensOut":',
  ',"costUsd":',
  '},"attempt":1}',
  '","reply":{"text":"',
  '\\u0000b',
  '","finish":"stop","usage":{"input":',
  ',"output":',
  ',"ms":',
  '},"spent":{',
  '","of":"',
  '","name":"',
  '","class":"',
  '","key":"',
  '","input":',
  ',"deadline":',
  ',"result":',
  '"toolCalls":',
  ',"owner":{"id":"',
  '{"type":"abort","id":"',
  '{"type":"note","path":"',
  '{"type":"wait-start","id":"',
  '{"type":"wait-end","id":"',
  '{"type":"sleep-start","id":"',
  '{"type":"sleep-end","id":"',
  '{"type":"spawn-start","id":"',
  '{"type":"spawn-end","id":"',
  '{"type":"attempt-start","attempt":',
  '","host":"',
  '","bootId":"',
  '","pid":',
  ',"startTime":"',
  '","pidNamespace":"',
  '"usage":{"iterations":',
  ',"wallMs":',
  ',"filesChanged":',
  ',"linesChanged":',
  '"cacheRead":',
  '"cacheWrite":',
  '","failure":{"code":"',
  '","message":"',
  ',"retryable":',
  '","event":{"kind":"',
  '"tokensIn":',
  '},"attempt":',
]);

/** Headers of prompt links: band, role and trust are always among a few. */
export const headerShorthand = new Shorthand([
  'log\u001fuser\u001f',
  'log\u001fassistant\u001f',
  'log\u001ftool\u001f',
  'setup\u001fsystem\u001f',
  'stable\u001fuser\u001f',
  'tail\u001fuser\u001f',
  '\u001fuser\u001f\u001f\u001f',
  '\u001fmodel\u001f\u001f\u001f',
  '\u001foutside\u001f\u001f',
  '\u001fsystem\u001fprotect\u001f\u001f',
  '\u001fsystem\u001f\u001f\u001f',
  '"name":"',
  '","arguments":',
]);
