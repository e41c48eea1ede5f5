import { describe, expect, it } from 'vitest';
import { readXml } from './xml.js';

const root = (text: string) => {
  const read = readXml(text);
  return read.ok ? read.root : read.why;
};

describe('readXml', () => {
  it('reads elements, attributes, entities, comments and CDATA [R4-VERIFY-PARSERS]', () => {
    const text = `<?xml version="1.0"?><!-- a > b --><a x='1 &lt; 2' y="&#10;&#x41;">one<b/><![CDATA[<two> & ]]>three</a>\n`;
    const read = root(text);
    expect(read).toMatchObject({ name: 'a', text: 'one<two> & three', children: [{ name: 'b', children: [] }] });
    expect(read).toHaveProperty(
      'attributes',
      new Map([
        ['x', '1 < 2'],
        ['y', '\nA'],
      ]),
    );
  });

  it.each([
    ['<a><b></a>', 'closes nothing'],
    ['<a>', 'not closed'],
    ['</a>', 'closes nothing'],
    ['<a/><b/>', 'follows the end'],
    ['text', 'outside'],
    ['', 'no element'],
    ['<a x=1/>', 'cannot be read'],
    ['<a x="1', 'cannot be read'],
    ['<a x="<"/>', 'cannot be read'],
    ['<a>&nbsp;</a>', 'entity'],
    ['<a>a & b</a>', 'entity'],
    ['<a>&#x110000;</a>', 'out of range'],
    ['<a><![CDATA[x</a>', 'missing'],
    ['<a><!-- x</a>', 'missing'],
    ['<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 'document types'],
    ['<a>'.repeat(300), 'nested deeper'],
    ['<1/>', 'no name'],
  ])('refuses %j and says why [R4-VERIFY-PARSERS]', (text, why) => {
    expect(root(text)).toContain(why);
  });

  it('takes time in proportion to the text, whatever it holds', () => {
    const many = [
      `<a ${' '.repeat(400_000)}`,
      `<a ${'x'.repeat(400_000)}`,
      '<'.repeat(400_000),
      `<a>${'&'.repeat(400_000)}</a>`,
    ];
    const before = process.cpuUsage();
    for (const text of many) expect(readXml(text).ok).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
