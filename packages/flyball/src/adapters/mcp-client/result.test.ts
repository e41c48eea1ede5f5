import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../core/schema.js';
import { jsonSchemaStandard } from '../../tools/json-schema-standard.js';
import { withoutPatterns } from './convert-tool.js';
import { shapeResult } from './result.js';
import type { CallToolResult } from './sdk.js';
import { blanking } from './secrets.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const shaped = (content: CallToolResult['content'], more: object = {}, maxChars = 1_000) =>
  shapeResult({ content, ...more } as CallToolResult, { blank: blanking(['s3cret-key']), maxChars });

describe('a result of an MCP server [R11-N12-MCP]', () => {
  it('keeps images, sounds and embedded resources in their order', async () => {
    const { text, parts } = await shaped([
      { type: 'text', text: 'Here:' },
      { type: 'image', data: base64('pixels'), mimeType: 'image/png' },
      { type: 'audio', data: base64('sound'), mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a/report.pdf', mimeType: 'application/pdf', blob: base64('pdf') } },
      { type: 'resource', resource: { uri: 'memo://1', text: 'A memo.' } },
      { type: 'resource_link', name: 'more', uri: 'file:///b' },
    ]);
    expect(parts).toEqual([
      { type: 'text', text: 'Here:' },
      { type: 'image', mediaType: 'image/png', data: base64('pixels') },
      { type: 'audio', mediaType: 'audio/wav', data: base64('sound') },
      { type: 'file', mediaType: 'application/pdf', data: base64('pdf'), name: 'report.pdf' },
      { type: 'text', text: 'A memo.' },
      { type: 'text', text: '[more: file:///b]' },
    ]);
    expect(text).toContain('[file report.pdf, application/pdf, 3 bytes]');
  });

  it('is text alone where there is nothing else, and text in base64 is text', async () => {
    const blob = base64('the key is s3cret-key');
    const given = await shaped([{ type: 'resource', resource: { uri: 'x/notes.txt', mimeType: 'text/plain', blob } }]);
    expect(given).toEqual({ text: '[file notes.txt]\nthe key is [secret]' });
  });

  it('holds no secret in its words, and no more words than allowed', async () => {
    const image = { type: 'image', data: base64('pixels'), mimeType: 'image/png' } as const;
    const leaky = await shaped([{ type: 'text', text: 'key s3cret-key' }, image]);
    expect(leaky.parts?.[0]).toEqual({ type: 'text', text: 'key [secret]' });
    const long = await shaped([{ type: 'text', text: 'x'.repeat(5_000) }, image]);
    expect(long.parts).toMatchObject([
      { text: expect.stringContaining('4000 characters left out') },
      { type: 'image' },
    ]);
  });

  it('leaves out a file that holds a credential', async () => {
    const blob = base64('\u0001\u0002 key=s3cret-key');
    const given = await shaped([{ type: 'resource', resource: { uri: 'x/a.bin', blob } }]);
    expect(given).toEqual({ text: '[file a.bin, application/octet-stream, 17 bytes, holds a credential, left out]' });
  });

  it('names what is too large, unreadable or not what it says, and leaves it out', async () => {
    const large = Buffer.alloc(10_000_001).toString('base64');
    const left = await shaped([
      { type: 'image', data: large, mimeType: 'image/png' },
      { type: 'image', data: 'not base64!', mimeType: 'image/png' },
      { type: 'image', data: base64('x'), mimeType: 'text/html' },
    ]);
    expect(left.parts).toBeUndefined();
    expect(left.text).toMatch(/10\.0 MB, left out.*not readable, left out.*text\/html, not readable, left out/s);
  });

  it.each([
    [
      'that look at a part twice for each level',
      { allOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }] },
      nested(40),
    ],
    ['that are named twice for each level', doubling(40), 'x'],
    [
      'that compare all parts with each other',
      { uniqueItems: true },
      Array.from({ length: 12_000 }, (_, n) => ({ n })),
    ],
  ])('is checked in little time, whatever its server promises: schemas %s', async (_, schema, structuredContent) => {
    const before = process.cpuUsage();
    const output = jsonSchemaStandard(withoutPatterns(schema) as JsonSchema);
    const given = { content: [], structuredContent } as unknown as CallToolResult;
    await shapeResult(given, { blank: blanking([]), maxChars: 500_000, output });
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(2_000);
  });

  it('fits a schema that refers to itself', async () => {
    const tree = { type: 'object', properties: { of: { type: 'array', items: { $ref: '#' } } }, required: ['of'] };
    const branch = (depth: number): object => ({ of: depth === 0 ? [] : [branch(depth - 1), branch(depth - 1)] });
    const output = jsonSchemaStandard(tree);
    const how = { blank: blanking([]), maxChars: 500_000, output };
    const structuredContent = branch(10) as Record<string, unknown>;
    expect(await shapeResult({ content: [], structuredContent } as CallToolResult, how)).toMatchObject({
      structured: structuredContent,
    });
    const broken = { of: [{ of: [{}] }] } as Record<string, unknown>;
    expect((await shapeResult({ content: [], structuredContent: broken } as CallToolResult, how)).structured).toBe(
      undefined,
    );
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 'x' : [nested(depth - 1)];
}

/** Parts that refer to nothing of their own, each twice to the next. */
function doubling(parts: number): JsonSchema {
  const both = (n: number) => ({ allOf: [{ $ref: `#/$defs/p${n}` }, { $ref: `#/$defs/p${n}` }] });
  const $defs = Object.fromEntries(
    Array.from({ length: parts }, (_, n) => [`p${n}`, n + 1 === parts ? {} : both(n + 1)]),
  );
  return { ...both(0), $defs };
}
