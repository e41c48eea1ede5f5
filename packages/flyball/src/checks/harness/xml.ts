export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All its own text, CDATA included, without that of the elements inside. */
  readonly text: string;
}

export type ReadXml = { readonly ok: true; readonly root: XmlElement } | { readonly ok: false; readonly why: string };

const MAX_DEPTH = 200;
const NAME = /[A-Za-z_:][\w:.-]*/y;
const ATTRIBUTE = /\s+([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(lt|gt|amp|quot|apos));/g;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

interface Open {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  readonly text: string[];
}

class XmlProblem extends Error {}

/**
 * Reads the XML that test reports are made of, once from front to back. No document types: definitions of entities are
 * how a small file becomes a big one. What is not well-formed is refused, so that half a report is never a report.
 */
export function readXml(text: string): ReadXml {
  try {
    return { ok: true, root: new XmlReader(text).read() };
  } catch (error) {
    if (error instanceof XmlProblem) return { ok: false, why: error.message };
    throw error;
  }
}

class XmlReader {
  private readonly source: string;
  private at = 0;
  private readonly open: Open[] = [];
  private root: XmlElement | undefined;

  constructor(source: string) {
    this.source = source;
  }

  read(): XmlElement {
    while (this.at < this.source.length) {
      const tag = this.source.indexOf('<', this.at);
      this.addText(this.source.slice(this.at, tag < 0 ? undefined : tag));
      if (tag < 0) break;
      this.at = tag;
      this.readTag();
    }
    const unclosed = this.open.at(-1);
    if (unclosed !== undefined) throw new XmlProblem(`<${unclosed.name}> is not closed`);
    if (this.root === undefined) throw new XmlProblem('there is no element');
    return this.root;
  }

  private readTag(): void {
    if (this.source.startsWith('<!--', this.at)) this.skipTo('-->');
    else if (this.source.startsWith('<?', this.at)) this.skipTo('?>');
    else if (this.source.startsWith('<![CDATA[', this.at)) this.readCharacterData();
    else if (this.source.startsWith('<!', this.at)) throw new XmlProblem('document types are not read');
    else if (this.source.startsWith('</', this.at)) this.closeElement();
    else this.openElement();
  }

  private skipTo(end: string): number {
    const found = this.source.indexOf(end, this.at);
    if (found < 0) throw new XmlProblem(`'${end}' is missing`);
    this.at = found + end.length;
    return found;
  }

  private readCharacterData(): void {
    const from = this.at + '<![CDATA['.length;
    const end = this.skipTo(']]>');
    this.open.at(-1)?.text.push(this.source.slice(from, end));
  }

  private openElement(): void {
    this.at++;
    const [name] = this.take(NAME) ?? [];
    if (name === undefined) throw new XmlProblem(`character ${this.at}: no name of an element`);
    if (this.root !== undefined) throw new XmlProblem(`<${name}> follows the end of the document`);
    const attributes = new Map<string, string>();
    for (let found = this.take(ATTRIBUTE); found !== undefined; found = this.take(ATTRIBUTE))
      attributes.set(found[1] ?? '', decoded(found[2] ?? found[3] ?? ''));
    const end = this.take(TAG_END);
    if (end === undefined) throw new XmlProblem(`character ${this.at}: <${name}> cannot be read`);
    this.open.push({ name, attributes, children: [], text: [] });
    if (this.open.length > MAX_DEPTH) throw new XmlProblem(`elements are nested deeper than ${MAX_DEPTH}`);
    if (end[1] === '/') this.close();
  }

  private closeElement(): void {
    this.at += 2;
    const [name = ''] = this.take(NAME) ?? [];
    const end = this.take(TAG_END);
    if (end === undefined || end[1] === '/' || this.open.at(-1)?.name !== name)
      throw new XmlProblem(`character ${this.at}: </${name}> closes nothing`);
    this.close();
  }

  private close(): void {
    const done = this.open.pop();
    if (done === undefined) return;
    const element = { ...done, text: done.text.join('') };
    const parent = this.open.at(-1);
    if (parent === undefined) this.root = element;
    else parent.children.push(element);
  }

  private addText(text: string): void {
    if (text === '') return;
    const inside = this.open.at(-1);
    if (inside !== undefined) inside.text.push(decoded(text));
    else if (text.trim() !== '' && text.trim() !== '\uFEFF')
      throw new XmlProblem('there is text outside of the document');
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  let known = 0;
  const plain = text.replace(ENTITY, (_all, decimal?: string, hex?: string, name?: string) => {
    known++;
    if (name !== undefined) return NAMED[name] ?? '';
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (code > 0x10ffff) throw new XmlProblem('a character reference is out of range');
    return String.fromCodePoint(code);
  });
  if (text.split('&').length - 1 !== known) throw new XmlProblem('an entity is not known');
  return plain;
}
