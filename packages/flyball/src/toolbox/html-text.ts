import { parsedUrl } from '../core/parsed-url.js';
import { type HtmlToken, htmlTokens } from './html-text-tokens.js';
import { TextWriter } from './html-text-writer.js';

export interface PageText {
  readonly title: string;
  readonly text: string;
  /** The page holds more than was asked for. */
  readonly isCut: boolean;
}

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Nothing in these is for readers. */
const DROPPED = new Set(
  'script style noscript template svg math iframe object canvas audio video head datalist noembed noframes'.split(' '),
);
const BLOCKS = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const PARAGRAPHS = new Set('article blockquote dl figure h1 h2 h3 h4 h5 h6 hr ol p pre section table ul'.split(' '));
/** What an open tag ends that nobody closed. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  option: ['option'],
  a: ['a'],
};
const HEAD_CONTENT = new Set('base link meta noscript script style template title'.split(' '));
const SCOPES = new Set(['ul', 'ol', 'dl', 'table', 'select', 'div', 'section', 'article', 'body']);
const MAX_DEPTH = 256;
/** Of a page, and addresses in it that are written out: what is more is cut, so that no page holds the process for long. */
const MAX_TOKENS = 200_000;
const MAX_LINKS = 5_000;
const HIDDEN_STYLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{3}/i;

interface Open {
  readonly name: string;
  /** Its text is not for readers, or lies in something that is not. */
  readonly isHidden: boolean;
  readonly href?: string;
  readonly mark?: number;
  items?: number;
  cells?: number;
}

/** What a reader would see of a page: headings, links with their addresses, lists, tables as rows. */
export function htmlToText(
  html: string,
  options: { readonly base?: string; readonly maxCharacters: number },
): PageText {
  const page = new Page(options);
  let tokens = 0;
  for (const token of htmlTokens(html)) {
    page.take(token);
    if (page.writer.isFull || ++tokens >= MAX_TOKENS)
      return { title: page.title, text: page.writer.text(), isCut: true };
  }
  page.end();
  return { title: page.title, text: page.writer.text(), isCut: false };
}

class Page {
  readonly writer: TextWriter;
  title = '';
  private readonly base: string | undefined;
  private readonly stack: Open[] = [];
  /** Of the open elements those that are asked for with every tag: looking through all of them each time is slow. */
  private readonly counts = new Map<string, number>();
  private readonly inner: Open[] = [];
  private readonly lists: Open[] = [];
  private readonly rows: Open[] = [];
  private tooDeep = 0;
  private links = 0;

  constructor(options: { readonly base?: string; readonly maxCharacters: number }) {
    this.writer = new TextWriter(options.maxCharacters);
    this.base = options.base;
  }

  take(token: HtmlToken): void {
    switch (token.kind) {
      case 'text':
        return this.takeText(token.text);
      case 'open':
        return this.open(token.name, token.attributes);
      case 'close':
        return this.close(token.name);
    }
  }

  /** What nobody closed ends with the page. */
  end(): void {
    this.endDownTo(0);
  }

  private takeText(text: string): void {
    const top = this.stack.at(-1);
    if (top?.name === 'title') {
      if (this.title === '') this.title = text.replace(/\s+/g, ' ').trim().slice(0, 300);
    } else if (top?.isHidden !== true) {
      if (this.isIn('pre')) this.writer.verbatim(text);
      else this.writer.flow(text);
    }
  }

  private open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.endUnclosed(name);
    const isHidden = this.stack.at(-1)?.isHidden === true || DROPPED.has(name) || isHiddenBy(attributes);
    const mark = isHidden ? undefined : this.startElement(name, attributes);
    if (VOID.has(name)) return;
    if (this.stack.length >= MAX_DEPTH) {
      this.tooDeep++;
      return;
    }
    const href = name === 'a' && !isHidden ? this.address(attributes.get('href')) : undefined;
    const opened = href === undefined ? mark : this.writer.mark('[');
    this.enter({ name, isHidden, ...(opened === undefined ? {} : { mark: opened }), ...(href && { href }) });
  }

  private enter(element: Open): void {
    this.stack.push(element);
    this.counts.set(element.name, (this.counts.get(element.name) ?? 0) + 1);
    this.special(element.name)?.push(element);
  }

  private leave(from: number): readonly Open[] {
    const left = this.stack.splice(from).reverse();
    for (const { name } of left) {
      this.counts.set(name, (this.counts.get(name) ?? 1) - 1);
      this.special(name)?.pop();
    }
    return left;
  }

  private special(name: string): Open[] | undefined {
    if (name === 'td' || name === 'th' || name === 'li') return this.inner;
    if (name === 'ul' || name === 'ol') return this.lists;
    return name === 'tr' ? this.rows : undefined;
  }

  /** The mark that stands before its text, where it has one. */
  private startElement(name: string, attributes: ReadonlyMap<string, string>): number | undefined {
    const { writer } = this;
    if (BLOCKS.has(name)) this.breakLine(PARAGRAPHS.has(name) ? 2 : 1);
    if (/^h[1-6]$/.test(name)) return writer.mark(`${'#'.repeat(Number(name[1]))} `);
    if (name === 'li') return this.startItem();
    if (name === 'td' || name === 'th') this.startCell();
    else if (name === 'br') this.startLine();
    else if (name === 'hr') this.rule();
    else if (name === 'img') writer.flow(imageText(attributes.get('alt')));
    return undefined;
  }

  private rule(): void {
    this.writer.flow('---');
    this.breakLine(2);
  }

  private startLine(): void {
    if (this.isIn('pre')) this.writer.verbatim('\n');
    else this.breakLine(1);
  }

  private startItem(): number {
    const list = this.lists.at(-1);
    this.writer.indentBy(this.lists.length - 1);
    if (list !== undefined) list.items = (list.items ?? 0) + 1;
    return this.writer.mark(list?.name === 'ol' ? `${list.items}. ` : '- ');
  }

  private startCell(): void {
    const row = this.rows.at(-1);
    if (row === undefined) return;
    row.cells = (row.cells ?? 0) + 1;
    if (row.cells > 1) this.writer.separate();
  }

  private close(name: string): void {
    if (this.tooDeep > 0) {
      this.tooDeep--;
      return;
    }
    if (!this.isIn(name)) return;
    this.endDownTo(this.stack.findLastIndex((element) => element.name === name));
  }

  private endUnclosed(name: string): void {
    // a head that nobody closed must not swallow the page
    if (this.stack.at(-1)?.name === 'head' && !HEAD_CONTENT.has(name)) this.endDownTo(this.stack.length - 1);
    const ended = BLOCKS.has(name) && ENDS[name] === undefined ? ['p'] : (ENDS[name] ?? []);
    if (!ended.some((each) => this.isIn(each))) return;
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const open = this.stack[at]?.name ?? '';
      if (ended.includes(open)) this.endDownTo(at);
      else if (SCOPES.has(open)) return;
    }
  }

  private endDownTo(at: number): void {
    for (const element of this.leave(at)) if (!element.isHidden) this.endElement(element);
  }

  private endElement({ name, href, mark }: Open): void {
    const isEmpty = mark !== undefined && this.writer.unmark(mark);
    if (href !== undefined && !isEmpty) this.writer.append(`](${href})`);
    if (name === 'ul' || name === 'ol') this.writer.indentBy(this.lists.length - 1);
    if (BLOCKS.has(name)) this.breakLine(PARAGRAPHS.has(name) ? 2 : 1);
  }

  /** A line break in a cell would tear its row apart, and nested lists need no empty lines. */
  private breakLine(count: 1 | 2): void {
    const inner = this.inner.at(-1);
    if (inner === undefined) this.writer.break(count);
    else if (inner.name === 'li') this.writer.break(1);
    else this.writer.gap();
  }

  private isIn(name: string): boolean {
    return (this.counts.get(name) ?? 0) > 0;
  }

  /** Only addresses that can be fetched: a script in a link is no place to go to. */
  private address(href: string | undefined): string | undefined {
    if (
      href === undefined ||
      href.trim() === '' ||
      ++this.links > MAX_LINKS ||
      parsedUrl(href, this.base) === undefined
    )
      return undefined;
    const url = new URL(href, this.base);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  }
}

function isHiddenBy(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('hidden') || attributes.get('aria-hidden')?.toLowerCase() === 'true') return true;
  return HIDDEN_STYLE.test((attributes.get('style') ?? '').slice(0, 2000));
}

function imageText(alt: string | undefined): string {
  return alt === undefined || alt.trim() === '' ? '' : ` ![${alt}] `;
}
