/** Collects text in lines and paragraphs, with white space as a reader would see it, up to a bound. */
export class TextWriter {
  private readonly parts: string[] = [];
  private readonly maxCharacters: number;
  private length = 0;
  /** Line breaks that stand before the next text: 1 ends a line, 2 a paragraph. */
  private breaks = 0;
  private space = false;
  /** Written before the next text, and forgotten if none comes. */
  private readonly marks: { readonly id: number; readonly text: string }[] = [];
  private lastMark = 0;
  private indent = '';

  constructor(maxCharacters: number) {
    this.maxCharacters = maxCharacters;
  }

  get isFull(): boolean {
    return this.length >= this.maxCharacters;
  }

  text(): string {
    return this.parts.join('').slice(0, this.maxCharacters).trimEnd();
  }

  /** Text whose white space means nothing but a gap. */
  flow(text: string): void {
    const words = text.replace(/[ \t\n\r\f\u00a0]+/g, ' ');
    if (words.startsWith(' ')) this.space = true;
    const trimmed = words.trim();
    if (trimmed === '') return;
    this.put(trimmed);
    this.space = words.endsWith(' ');
  }

  /** Text to be kept as it is. */
  verbatim(text: string): void {
    if (text.trim() === '') this.breaks = Math.max(this.breaks, Math.min(2, text.split('\n').length - 1));
    else this.put(text.replaceAll('\r', ''));
  }

  break(count: 1 | 2): void {
    this.breaks = Math.max(this.breaks, count);
    this.space = false;
  }

  gap(): void {
    this.space = true;
  }

  /** Stands directly before the next text, such as a bullet. */
  mark(text: string): number {
    this.marks.push({ id: ++this.lastMark, text });
    return this.lastMark;
  }

  /** Takes a mark back to which no text has come; false when some has. */
  unmark(id: number): boolean {
    const at = this.marks.findIndex((mark) => mark.id === id);
    if (at >= 0) this.marks.splice(at);
    return at >= 0;
  }

  indentBy(depth: number): void {
    this.indent = '  '.repeat(Math.max(0, Math.min(depth, 10)));
  }

  /** Between two cells, the first of which may be empty. */
  separate(): void {
    this.space = true;
    this.put('|');
    this.space = true;
  }

  /** Directly after the last text, without a gap. */
  append(text: string): void {
    this.add(text);
  }

  private put(text: string): void {
    if (this.length > 0) {
      if (this.breaks > 0) this.add('\n'.repeat(this.breaks));
      else if (this.space) this.add(' ');
    }
    if ((this.breaks > 0 || this.length === 0) && this.indent !== '') this.add(this.indent);
    this.breaks = 0;
    this.space = false;
    for (const mark of this.marks.splice(0)) this.add(mark.text);
    this.add(text);
  }

  private add(text: string): void {
    if (this.isFull) return;
    this.parts.push(text);
    this.length += text.length;
  }
}
