/** The texts of all elements of this name, as far as S3 writes XML. */
export function valuesOf(xml: string, tag: string): readonly string[] {
  return [...eachValueOf(xml, tag)];
}

/** The same one after the other: a page can have far more of them than its server was asked for. */
export function* eachValueOf(xml: string, tag: string): Generator<string> {
  for (const [, text = ''] of xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g')))
    yield text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&');
}
